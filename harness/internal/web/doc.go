// Package web is the fixture web: small web sites, one folder for each host.
// They stand in for the internet while an episode runs.
//
//  1. [Open] reads the built-in hosts and the hosts in the user's folders into a
//     [Set]: files, templates and routes, checked once and never changed.
//  2. [Set.NewWeb] makes one session's [Web]: an http.Handler with state and
//     an access log. It is cheap, because the Set is shared.
//  3. Package serve serves a Web over http and https, here or in a container. [NewLocal]
//     shows all hosts to a person on one localhost address.
//
// Package template makes the pages of a host's templates, and package route reads its routes
// and its state at the start.
//
// sites/README.md describes the format. The package resolves no host names; the
// launcher makes the browser find the hosts.
package web
