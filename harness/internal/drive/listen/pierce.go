package listen

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

const (
	maxShut   = 50 // how many closed shadow roots of a document are opened to our listeners
	maxFailed = 3  // a document whose roots could not be opened so often is not asked again
)

// pierce hands the closed shadow roots of a document to our listeners, and returns how many there are.
// It is an error if there are more than maxShut.
func (e *Ear) pierce(ctx context.Context, d *document) (n int, err error) {
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
	for _, id := range roots[:min(len(roots), maxShut)] {
		object, err := devtools.Call(ctx, d.session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: d.id})
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err != nil || object.Object == nil {
			continue // it is gone
		}
		_, err = devtools.Call(ctx, d.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: fmt.Sprintf("function() { self[%q].open(this) }", e.name), ObjectID: object.Object.ObjectID, Silent: new(true),
		})
		devtools.Tell(d.session, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: object.Object.ObjectID})
		if err != nil {
			return n, err
		}
		n++
	}
	if len(roots) > maxShut {
		d.failed.Store(maxFailed)
		return n, errors.New("too many closed shadow roots")
	}
	devtools.Tell(d.session, runtime.Evaluate, runtime.EvaluateParams{Expression: fmt.Sprintf("self[%q].asked()", e.name), UniqueContextID: d.unique, Silent: new(true)})
	return n, nil
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
