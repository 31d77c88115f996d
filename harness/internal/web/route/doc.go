// Package route reads what a host's routes.json and state.json say, and applies it to one
// request: whether a route matches, and the state after it.
//
// The package does not answer requests and keeps no state of a session; package web does.
package route
