package episode

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// startProgram starts the program that decides the calls. The clock starts when it runs.
func (r *run) startProgram(ctx context.Context, p adapter.Program) error {
	r.program = p
	_, err := bounded(ctx, func() (any, error) { return nil, p.Start(ctx, r.current()) })
	r.secrets = session.Hiding(p.Secrets())
	r.began = time.Now()
	return err
}

// current is the state after the last step.
func (r *run) current() adapter.State {
	s := r.state()
	s.TabID, s.Steps = r.tab(), r.steps
	return s
}

// endProgram ends the program and logs what is known of it.
func (r *run) endProgram(ctx context.Context) {
	if r.program == nil {
		return
	}
	// Not bounded by ctx: if the run was stopped, End does not wait.
	a, err := bounded(context.WithoutCancel(ctx), func() (adapter.Agent, error) { return r.program.End(ctx, r.current()), nil })
	if err != nil {
		a = adapter.Agent{Error: err.Error()}
	}
	body := &record.Agent{Agent: a}
	if r.Page != "" && len(a.Output) > 0 {
		body.Log = path.Join(r.Page, record.AgentLog)
	}
	r.printed = []byte(r.secrets.Text(string(a.Output)))
	r.emit("", body)
}

// keepLog writes what the program printed beside the page. It returns why it could not.
func (r *run) keepLog() error {
	if r.Page == "" || len(r.printed) == 0 {
		return nil
	}
	return regular.WriteFile(r.Out, path.Join(r.Page, record.AgentLog), []byte(display.Lines(string(r.printed))))
}

// hidden returns an event body without the program's secrets.
func (r *run) hidden(body record.Body) record.Body {
	if r.secrets == nil {
		return body
	}
	raw, err := record.Marshal(body)
	if err != nil {
		return body // the log says why
	}
	shown := r.secrets.JSON(raw)
	if bytes.Equal(raw, shown) {
		return body
	}
	r.hid = true
	clean, err := reread(body.Type(), shown)
	if err != nil { // a number of ours looks like a secret
		clean, err = reread(body.Type(), r.secrets.Strings(raw))
	}
	if err != nil {
		r.logErr = fmt.Errorf("%s: a field is a secret of the agent: %w; choose another secret", body.Type(), err)
		return body
	}
	return clean
}

// reread reads the fields of an event from which secrets were taken. It is an error if a name of ours is
// gone with them.
func reread(t record.Type, shown []byte) (record.Body, error) {
	clean, err := record.ReadBody(t, shown)
	if err != nil {
		return nil, err
	}
	if again, err := record.Marshal(clean); err != nil || !bytes.Equal(again, shown) {
		return nil, errors.New("a name in the log is that of a secret")
	}
	return clean, nil
}

// hiddenFile is hidden for a JSON file.
func (r *run) hiddenFile(raw []byte) []byte {
	if r.secrets == nil {
		return raw
	}
	shown := r.secrets.Strings(raw)
	r.hid = r.hid || !bytes.Equal(raw, shown)
	return shown
}
