package web

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// Small versions of pages that need the advanced features of routes. Each test tries the
// right steps and wrong ones.
func TestCatalogue(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		steps []string
		took  time.Duration // the sum of the delays
	}{
		// The first search is slower than the second. Only a result of the second search
		// leads to the receipt.
		{"dyn-race", map[string]string{
			"state.json":       `{"towns": [{"id": "t1", "name": "Berlin", "q": "be"}, {"id": "t2", "name": "Bergen", "q": "ber"}]}`,
			"search.tmpl.json": `{"q": {{.Query.q}}, "found": [{{range .List.towns}}{{if eq .q $.Query.q}}{"id": {{.id}}, "name": {{.name}}}{{end}}{{end}}]}`,
			"receipt.html":     "chosen",
			"routes.json": `[{"path": "/search.json", "when": {"first": 1}, "delayMs": 1500},
				{"method": "POST", "path": "/choose", "when": {"field": {"id": "t2"}}, "set": {"chosen": "yes"}, "location": "/receipt"},
				{"method": "POST", "path": "/choose", "location": "/wrong"},
				{"path": "/receipt", "when": {"state": {"chosen": ""}}, "status": 404}]`,
		}, []string{
			"GET /search.json?q=be", `200 {"q": "be", "found": [{"id": "t1", "name": "Berlin"}]}`,
			"GET /search.json?q=ber", `200 {"q": "ber", "found": [{"id": "t2", "name": "Bergen"}]}`,
			"GET /receipt", "404", "POST /choose id=t1", "303 /wrong", "POST /choose id=t2", "303 /receipt", "GET /receipt", "200 chosen",
		}, 1500 * time.Millisecond},
		// The server refuses to archive the second of three mails, after a delay.
		{"dyn-optimistic", map[string]string{
			"state.json":     `{"mail": [{"id": "1"}, {"id": "2"}, {"id": "3"}]}`,
			"_locked.json":   `{"error": "locked"}`,
			"mail.tmpl.json": `{{.List.mail}}`,
			"routes.json": `[{"method": "POST", "path": "/archive", "when": {"field": {"id": "2"}}, "status": 409, "file": "_locked.json", "delayMs": 800},
				{"method": "POST", "path": "/archive", "rows": [{"do": "remove", "in": "mail", "where": {"id": {"from": "field.id"}}}], "status": 204, "delayMs": 400}]`,
		}, []string{
			"POST /archive id=1", "204", "POST /archive id=2", `409 {"error": "locked"}`, "GET /mail.json", `200 [{"id":"2"},{"id":"3"}]`,
		}, 1200 * time.Millisecond},
		// The server takes the first order, although the answer is an error.
		{"shop-double", map[string]string{
			"orders.tmpl.html": `{{range .List.orders}}{{.id}} {{.item}};{{end}}`,
			"receipt.html":     "one order",
			"routes.json": `[{"method": "POST", "path": "/order", "when": {"first": 1}, "add": {"n": 1}, "status": 504,
					"rows": [{"do": "append", "in": "orders", "keep": ["item"], "set": {"id": {"from": "state.n"}}}]},
				{"method": "POST", "path": "/order", "add": {"n": 1}, "location": "/orders",
					"rows": [{"do": "append", "in": "orders", "keep": ["item"], "set": {"id": {"from": "state.n"}}}]},
				{"path": "/receipt", "when": {"rows": [{"in": "orders", "where": {"item": "mug"}, "count": 1}, {"in": "orders", "count": 1}]}},
				{"path": "/receipt", "status": 404}]`,
		}, []string{
			"GET /receipt", "404", "POST /order item=mug", "504", "GET /orders", "200 1 mug;", "GET /receipt", "200 one order",
			"POST /order item=mug", "303 /orders", "GET /orders", "200 1 mug;2 mug;", "GET /receipt", "404",
		}, 0},
		// The queue page shows the word that opens the report. Loading the report again
		// does not help.
		{"flt-429", map[string]string{
			"_busy.html": "wait", "queue.html": "word: kiwi", "report.html": "report",
			"routes.json": `[{"path": "/report", "when": {"field": {"word": "kiwi"}}},
				{"path": "/report", "status": 429, "headers": {"Retry-After": "2", "Refresh": "0;url=/queue"}, "file": "_busy.html", "add": {"early": 1}},
				{"path": "/queue", "delayMs": 2000}]`,
		}, []string{
			"GET /report", "429 wait", "GET /report", "429 wait", "GET /queue", "200 word: kiwi", "GET /report?word=kiwi", "200 report",
		}, 2 * time.Second},
		// Checkboxes archive all mails of one sender except the starred mail.
		{"mail-bulk", map[string]string{
			"state.json": `{"mail": [{"id": "1", "from": "Bo", "folder": "inbox", "want": "archive"}, {"id": "2", "from": "Bo", "star": "yes", "folder": "inbox", "want": "inbox"},
				{"id": "3", "from": "Cy", "folder": "inbox", "want": "inbox"}, {"id": "4", "from": "Bo", "folder": "inbox", "want": "archive"}]}`,
			"index.tmpl.html": `{{range .List.mail}}{{if eq .folder "inbox"}}{{.id}}{{end}}{{end}}`,
			"receipt.html":    "done",
			"routes.json": `[{"method": "POST", "path": "/archive", "when": {"rows": [{"in": "mail", "where": {"id": {"from": "field.id"}, "want": "inbox"}}]}, "location": "/wrong",
					"rows": [{"do": "change", "in": "mail", "where": {"id": {"from": "field.id"}}, "set": {"folder": "archive"}}]},
				{"method": "POST", "path": "/archive", "rows": [{"do": "change", "in": "mail", "where": {"id": {"from": "field.id"}}, "set": {"folder": "archive"}}], "location": "/"},
				{"path": "/receipt", "when": {"rows": [{"in": "mail", "where": {"folder": {"from": "row.want"}}, "count": 4}]}},
				{"path": "/receipt", "status": 404}]`,
		}, []string{
			"POST /archive id=1", "303 /", "GET /receipt", "404", "POST /archive id=1&id=4", "303 /", "GET /", "200 23", "GET /receipt", "200 done",
			"POST /archive id=2&id=4", "303 /wrong", "GET /receipt", "404",
		}, 0},
		// The cart is a list of all goods with a quantity each. Only the exact order is right.
		{"shop-voucher", map[string]string{
			"cart.tmpl.html": `{{$t := 0}}{{range .List.cart}}{{$t = add $t (mul (num .n) (num .price))}}{{end}}{{if eq .State.voucher "TEA"}}{{$t = add $t -5}}{{end}}{{$t}}`,
			"state.json":     `{"cart": [{"id": "pot", "price": "30", "n": "0", "want": "2"}, {"id": "mug", "price": "8", "n": "0", "want": "1"}, {"id": "jug", "price": "9", "n": "0", "want": "0"}]}`,
			"routes.json": `[{"method": "POST", "path": "/cart", "rows": [{"do": "change", "in": "cart", "where": {"id": {"from": "field.id"}}, "add": {"n": 1}}], "location": "/cart"},
				{"method": "POST", "path": "/voucher", "keep": ["voucher"], "location": "/cart"},
				{"method": "POST", "path": "/pay", "when": {"rows": [{"in": "cart", "where": {"n": {"from": "row.want"}}, "count": 3}], "state": {"voucher": "TEA"}}, "status": 204},
				{"method": "POST", "path": "/pay", "status": 409}]`,
		}, []string{
			"POST /cart id=pot", "303 /cart", "POST /cart id=mug", "303 /cart", "POST /pay", "409", "POST /cart id=pot", "303 /cart",
			"POST /pay", "409", "POST /voucher voucher=TEA", "303 /cart", "GET /cart", "200 63", "POST /pay", "204",
			"POST /cart id=jug", "303 /cart", "POST /pay", "409",
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := oneSite(t, c.files).NewWeb()
				start := time.Now()
				var got []string
				for i := 0; i < len(c.steps); i += 2 {
					got = append(got, c.steps[i], visit(t, w, c.steps[i]))
				}
				need.Equal(t, "steps and answers", c.steps, got)
				if took := time.Since(start); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
			})
		})
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a": {"b": [1, "x", null, {"c": true}]}}`)
	f.Add(`[[[[1]]], 1e5, ""]`)
	f.Add(`{"a": 1} 2`)
	w := oneSite(f, map[string]string{"out.tmpl.json": `{"a": {{index .JSON "a"}}, "all": {{.JSON}}}`, "routes.json": `[{"method": "POST", "path": "/out.json"}]`}).NewWeb()
	f.Fuzz(func(t *testing.T, body string) {
		// The web answers every body that it can read with valid JSON.
		if got := send(w, "/out.json", "application/json", body); got[:4] != "200 " && got != "400 the JSON cannot be read" {
			t.Errorf("%q: %s", body, got)
		}
	})
}
