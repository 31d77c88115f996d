// Package serve serves a fixture web, and reaches it.
//
//  1. [Listen] serves a [web.Web] over http and https on its own listeners. A [CA] made for
//     the run signs the certificates of the hosts.
//  2. [AsRemote] does the same in a container, in the static binary cmd/web; [Remote] is the
//     other end of its stdin and stdout.
//  3. [Local] shows all hosts to a person on one localhost address.
//  4. [Transport] is for a client of a fixture web that is written in Go.
//
// The package decides no answer; package web does.
package serve
