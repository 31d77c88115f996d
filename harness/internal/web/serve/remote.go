package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/openchrome/bench/harness/internal/web"
)

// RemoteConfig is the first line of the protocol, in JSON.
type RemoteConfig struct {
	CA    string `json:"ca"`    // from CA.Marshal
	Sites []byte `json:"sites"` // from web.Set.Pack; base64 in JSON
	HTTP  string `json:"http"`  // see ListenOptions
	HTTPS string `json:"https"` // see ListenOptions
}

type remoteCommand struct {
	Op   string   `json:"op"`
	Draw web.Draw `json:"draw,omitzero"` // of the op draw
}

// remoteAnswer is the form of every answer. Either Error or the other fields are set.
type remoteAnswer struct {
	Error string    `json:"error,omitempty"`
	HTTP  string    `json:"http,omitempty"`
	HTTPS string    `json:"https,omitempty"`
	Log   web.Log   `json:"log,omitzero"`
	Now   time.Time `json:"now,omitzero"` // current time of the log's clock
}

// AsRemote is the other end of a [Remote]. It reads a RemoteConfig from in, serves a Web
// of that Set, answers commands, and returns at the end of in. Each message is one line of
// JSON. The first answer is
//
//	{"http":"[::]:8080","https":"[::]:8443"}
//
// The answer to {"op":"log"} is {"log":{…},"now":"…"} with a [web.Log]; now is the time of the
// log's clock. {"op":"why"} is answered with the result of Web.Why. The answer to {"op":"draw","draw":{"hosts":[…],"values":{…}}} is {}. If something fails, the answer is
// {"error":"…"} and AsRemote returns the error.
func AsRemote(in io.Reader, out io.Writer) error {
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	fail := func(err error) error {
		enc.Encode(remoteAnswer{Error: err.Error()})
		return err
	}
	var cfg RemoteConfig
	if err := dec.Decode(&cfg); err != nil {
		return fail(fmt.Errorf("read the configuration: %w", err))
	}
	w, srv, err := cfg.listen()
	if err != nil {
		return fail(err)
	}
	defer srv.Close()
	if err := enc.Encode(remoteAnswer{HTTP: srv.HTTPAddr(), HTTPS: srv.HTTPSAddr()}); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	for {
		var c remoteCommand
		if err := dec.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fail(fmt.Errorf("read a command: %w", err))
		}
		a := remoteAnswer{Error: fmt.Sprintf("unknown op %q; allowed: draw, log, why", c.Op)}
		switch c.Op {
		case "log", "why":
			a = remoteAnswer{Log: w.Log(), Now: time.Now()}
			if c.Op == "why" {
				a.Log = w.Why()
			}
			a.Log.SetClock(a.Now, a.Now)
		case "draw":
			a = remoteAnswer{}
			if err := w.Draw(c.Draw); err != nil {
				a.Error = err.Error()
			}
		}
		if err := enc.Encode(a); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

func (c RemoteConfig) listen() (*web.Web, *Server, error) {
	set, err := web.OpenPacked(c.Sites)
	if err != nil {
		return nil, nil, err
	}
	ca, err := OpenCA([]byte(c.CA))
	if err != nil {
		return nil, nil, err
	}
	w := set.NewWeb()
	srv, err := Listen(w, ca, ListenOptions{HTTP: c.HTTP, HTTPS: c.HTTPS})
	return w, srv, err
}

// A Remote is a Web in another process, such as the binary of cmd/web in a
// container. It talks to that process over its stdin and stdout. Only one goroutine
// at a time may use it.
type Remote struct {
	// HTTP and HTTPS are the addresses on which the web listens. Start sets them.
	HTTP, HTTPS string

	rw  io.ReadWriteCloser
	dec *json.Decoder
	enc *json.Encoder
}

// NewRemote returns a Remote over rw. When rw is closed, the web ends. If a context ends
// during a call, rw is closed too, because nothing else stops a read.
func NewRemote(rw io.ReadWriteCloser) *Remote {
	return &Remote{rw: rw, dec: json.NewDecoder(rw), enc: json.NewEncoder(rw)}
}

// Start sends the configuration and waits until the web is served.
func (r *Remote) Start(ctx context.Context, cfg RemoteConfig) error {
	a, err := r.ask(ctx, cfg)
	if err != nil {
		return fmt.Errorf("start the fixture web: %w", err)
	}
	r.HTTP, r.HTTPS = a.HTTP, a.HTTPS
	return nil
}

// Log returns the result of Web.Log of the remote Web, with the times converted to our clock. A time may be too late, by as long as the answer took, but never
// too early. So a request never seems older than the call that caused it.
func (r *Remote) Log(ctx context.Context) (web.Log, error) { return r.log(ctx, "log") }

// Why returns the result of Web.Why in the same way.
func (r *Remote) Why(ctx context.Context) (web.Log, error) { return r.log(ctx, "why") }

func (r *Remote) log(ctx context.Context, op string) (web.Log, error) {
	a, err := r.ask(ctx, remoteCommand{Op: op})
	if err != nil {
		return web.Log{}, fmt.Errorf("read the log of the fixture web: %w", err)
	}
	a.Log.SetClock(a.Now, time.Now())
	return a.Log, nil
}

// Draw calls Web.Draw of the remote Web.
func (r *Remote) Draw(ctx context.Context, d web.Draw) error {
	_, err := r.ask(ctx, remoteCommand{Op: "draw", Draw: d})
	return err
}

func (r *Remote) ask(ctx context.Context, line any) (remoteAnswer, error) {
	var a remoteAnswer
	stop := context.AfterFunc(ctx, func() { r.rw.Close() })
	defer stop()
	err := r.enc.Encode(line)
	if err == nil {
		err = r.dec.Decode(&a)
	}
	switch {
	case ctx.Err() != nil:
		return a, ctx.Err()
	case errors.Is(err, io.EOF):
		return a, fmt.Errorf("it ended without an answer: %w", io.ErrUnexpectedEOF)
	case err != nil:
		return a, err
	case a.Error != "":
		return a, errors.New(a.Error)
	}
	return a, nil
}
