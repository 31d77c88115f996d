package observer

import "context"

// sourceScript reads the document as HTML.
const sourceScript = `(() => {` + primordials + `
const root = call("get documentElement", document);
return json(root ? cut(call("get outerHTML", root), 4194304) : "");
})()`

// HTML returns the first 4 MiB of the tab's document as HTML, without shadow roots. Unlike
// [Observer.Read] it dismisses no dialog.
func (o *Observer) HTML(ctx context.Context, tabID string) (source string, err error) {
	err = o.ask(ctx, tabID, sourceScript, &source)
	return source, err
}
