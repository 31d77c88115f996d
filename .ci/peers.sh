#!/bin/sh
# Installs the pinned peers of OpenChrome in a folder, for the tests that compare
# with them: usage: .ci/peers.sh FOLDER. Its node_modules is then the value of
# OPENCHROME_BENCH_PEERS. A test checks that the versions are those in the folder servers.
# axe-core is no peer: the tests of the HTML page look for faults of accessibility with it.
set -eu
exec npm install --prefix "$1" --silent --no-audit --no-fund --ignore-scripts \
	@playwright/mcp@0.0.83 \
	chrome-devtools-mcp@1.11.0 \
	axe-core@4.14.1
