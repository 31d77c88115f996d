// Package web is the fixture web: small web sites, one folder for each host.
// They stand in for the internet while an episode runs.
//
//  1. [Open] reads the built-in hosts and the hosts in the user's folders into a
//     [Set]: files, templates and routes, checked once and never changed.
//  2. [Set.NewWeb] makes one session's [Web]: an http.Handler with state and
//     an access log. It is cheap, because the Set is shared.
//  3. [Listen] serves a Web over http and https on its own listeners. A [CA]
//     made for the run signs the certificates of the Set's hosts.
//  4. [ServeRemote] does the same in a container, in the static binary cmd/web;
//     [Remote] is the other end of its stdin and stdout.
//  5. [ServeLocal] shows all hosts to a person on one localhost address.
//
// README.md in this folder describes the format. The package resolves no host names; the
// launcher makes the browser find the hosts.
package web
