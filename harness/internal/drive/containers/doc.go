// Package containers runs sessions in Docker containers: Chromium and OpenChrome in one,
// the fixture web in another, on an internal network.
//
//  1. [Check] says whether an engine answers, and which.
//  2. [Present] says which images exist. Their tags are hashes of what goes in.
//  3. [New] builds what is missing and returns a launcher. It owns a network;
//     each of its sessions owns two containers. It talks to Chromium, to OpenChrome and to the
//     web over their stdin and stdout, so that no port is opened anywhere.
//  4. Containers and networks have the run's id and its owner as labels. Their
//     session or launcher removes them. After a kill -9 the watchdog removes
//     them, or else the next New, which touches no run that may still be alive.
//
// It is the only package that imports testcontainers-go.
package containers
