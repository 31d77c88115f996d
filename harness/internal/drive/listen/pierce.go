package listen

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

const (
	maxShut   = 50 // how many closed shadow roots of a document are opened to our listeners
	maxFailed = 3  // a document whose roots could not be opened so often is not asked again

	pierceLimit = time.Second // a reading does not wait for it
)

// pierced is what came of handing over the closed shadow roots of a document.
type pierced struct {
	n   int // how many there are
	err error
}

// open hands over the closed shadow roots that the document may have, as the reading says. On a busy
// machine it goes on after the end of ctx, so that at least the next step is heard in full. ok is false if
// it did not end in time.
func (e *Ear) open(ctx context.Context, d *document, r *reading) (got pierced, ok bool) {
	if d.failed.Load() >= maxFailed || !d.opening.CompareAndSwap(false, true) { // another try would only cost the browser time
		return got, false
	}
	missed := func() {
		devtools.Tell(d.session, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprintf("self[%q].missed()", e.name), UniqueContextID: d.unique, Silent: new(true)})
	}
	ended := make(chan pierced, 1)
	go func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), pierceLimit)
		defer cancel()
		defer d.opening.Store(false)
		n, err := e.pierce(limited, d, r.Turn)
		if err != nil {
			d.failed.Add(1)
			missed()
		}
		ended <- pierced{n, err}
	}()
	select {
	case got = <-ended:
		return got, true
	case <-ctx.Done():
		missed()
		return got, false
	}
}

// pierce hands the closed shadow roots of a document to our listeners, and returns how many there are.
// It is an error if there are more than maxShut. turn is that of the reading before.
func (e *Ear) pierce(ctx context.Context, d *document, turn int) (n int, err error) {
	got, err := devtools.Call(ctx, d.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "document.documentElement", UniqueContextID: d.unique, Silent: new(true), DisableBreaks: new(true),
	})
	if err != nil || got.Result == nil || got.Result.ObjectID == "" {
		return 0, err
	}
	defer devtools.Tell(d.session, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: got.Result.ObjectID})
	tree, err := devtools.Call(ctx, d.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: got.Result.ObjectID, Depth: new(int64(-1)), Pierce: new(true)})
	if err != nil || tree.Node == nil {
		return 0, err
	}
	roots := closedRoots(tree.Node, nil)
	var objects []*runtime.CallArgument
	for _, object := range e.resolve(ctx, d, roots[:min(len(roots), maxShut)]) {
		if object != "" { // else it is gone
			objects = append(objects, &runtime.CallArgument{ObjectID: object})
			defer devtools.Tell(d.session, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: object})
		}
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if n = len(objects); n > 0 {
		_, err = devtools.Call(ctx, d.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: fmt.Sprintf("function(...roots) { roots.forEach(self[%q].open) }", e.name), ObjectID: got.Result.ObjectID, Arguments: objects, Silent: new(true),
		})
		if err != nil {
			return 0, err
		}
	}
	if len(roots) > maxShut {
		d.failed.Store(maxFailed)
		return n, errors.New("too many closed shadow roots")
	}
	devtools.Tell(d.session, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprintf("self[%q].asked(%d)", e.name, turn), UniqueContextID: d.unique, Silent: new(true)})
	return n, nil
}

// resolve returns the objects of nodes in our world; "" for those that are gone. The browser gets all
// questions at once: one after the other, fifty would take more time than a reading has.
func (e *Ear) resolve(ctx context.Context, d *document, nodes []cdp.BackendNodeID) []runtime.RemoteObjectID {
	objects := make([]runtime.RemoteObjectID, len(nodes))
	var all sync.WaitGroup
	for i, id := range nodes {
		all.Go(func() {
			got, err := devtools.Call(ctx, d.session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: d.id})
			if err == nil && got.Object != nil {
				objects[i] = got.Object.ObjectID
			}
		})
	}
	all.Wait()
	return objects
}

// closedRoots returns the closed shadow roots below a node, without those of other documents: at most one more
// than maxShut.
func closedRoots(node *cdp.Node, list []cdp.BackendNodeID) []cdp.BackendNodeID {
	for _, root := range node.ShadowRoots {
		if root.ShadowRootType == cdp.ShadowRootTypeClosed && len(list) <= maxShut {
			list = append(list, root.BackendNodeID)
		}
		if root.ShadowRootType != cdp.ShadowRootTypeUserAgent {
			list = closedRoots(root, list)
		}
	}
	for _, child := range node.Children {
		list = closedRoots(child, list)
	}
	return list
}
