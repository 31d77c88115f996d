package record

import (
	"fmt"
	"slices"
)

// StandinName is the name that a stand-in gives in its answer to initialize.
const StandinName = "openchrome-bench-standin"

// Reader says who read the facts.
func (s *Server) Reader() string {
	if s.Facts == FactsObserver {
		return "read by an observer beside the server"
	}
	return "read through the server's own tools"
}

// Words says which server the run drove, and how. A nil Server is one that never started.
func (s *Server) Words() string {
	if s == nil {
		return s.Brief()
	}
	return s.Brief() + ", " + s.Started()
}

// Brief says which server the run drove, and on which browser.
func (s *Server) Brief() string {
	if s == nil {
		return "none: no session started"
	}
	what := fmt.Sprintf("%s %s", s.Name, s.Version)
	switch {
	case s.Name == StandinName:
		what = fmt.Sprintf("stand-in %s, not OpenChrome", s.Version)
	case s.Name == "openchrome":
		what = "OpenChrome " + s.Version
	case slices.Contains([]string{"local", "container", "command", "url"}, s.Launcher): // started as an OpenChrome
		what += ", an MCP server that does not call itself OpenChrome"
	}
	if s.Chromium != "" {
		what += " on " + s.Chromium
	}
	return what
}

// Started says how the server was started, and what confined it.
func (s *Server) Started() string {
	what := fmt.Sprintf("launcher %s, MCP %s, isolation %s", s.Launcher, s.Protocol, s.Isolation)
	switch s.Confinement {
	case "":
		return what
	case "none":
		return what + ", not confined"
	}
	return what + ", confined by " + s.Confinement
}
