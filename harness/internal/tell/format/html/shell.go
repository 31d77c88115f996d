package html

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/text/display"
)

//go:embed report.html comparison.html
var files embed.FS

var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// contentPolicy is the Content-Security-Policy of a page. Only screenshots are loaded: from the
// page itself, or from the folder beside it.
var contentPolicy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data: 'self' file:; base-uri 'none'; form-action 'none'; "+
	"require-trusted-types-for 'script'; trusted-types 'none'", hash(script), hash(style))

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"style":  func() template.CSS { return template.CSS(style) },
	"script": func() template.JS { return template.JS(script) },
	"policy": func() string { return contentPolicy },
	"show":   display.Visible,
	"count":  display.Count,
	"ms":     milliseconds,
	"number": number,
	"mean":   mean,
	"share":  share,
	"anchor": anchor,
	// Of the small drawings of intervals, 60 wide with 3 at both ends.
	"scale":  func(rate float64) string { return fmt.Sprintf("%.1f", 3+54*rate) },
	"length": func(low, high float64) string { return fmt.Sprintf("%.1f", 54*(high-low)) },
	"divide": func(a, b int) float64 { return float64(a) / float64(b) },
}).ParseFS(files, "*.html"))

// block writes v as JSON, packed, in a script that no browser runs. Base64 cannot end it.
func block(w *bufio.Writer, id string, v any) error {
	packed, err := pack(v)
	if err != nil {
		return err
	}
	return raw(w, id, packed)
}

func raw(w *bufio.Writer, id, text string) error {
	_, err := fmt.Fprintf(w, "<script type=\"text/plain\" id=\"%s\">%s</script>\n", id, text)
	return err
}

// pack returns v as JSON, gzip and base64. The fastest level takes two thirds of the time of
// the usual one, for an eighth more bytes.
func pack(v any) (string, error) {
	var b strings.Builder
	text := base64.NewEncoder(base64.StdEncoding, &b)
	packed, err := gzip.NewWriterLevel(text, gzip.BestSpeed)
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(packed).Encode(v); err != nil {
		return "", err
	}
	if err := packed.Close(); err != nil {
		return "", err
	}
	err = text.Close()
	return b.String(), err
}

// lines is [display.Visible] for text that keeps its lines and tabs.
func lines(s string) string {
	safe := true
	for i := 0; i < len(s) && safe; i++ {
		safe = s[i] >= ' ' && s[i] < utf8.RuneSelf || s[i] == '\n' || s[i] == '\t'
	}
	if safe {
		return s
	}
	rows := strings.Split(s, "\n")
	for i, row := range rows {
		cells := strings.Split(row, "\t")
		for j := range cells {
			cells[j] = display.Visible(cells[j])
		}
		rows[i] = strings.Join(cells, "\t")
	}
	return strings.Join(rows, "\n")
}

// milliseconds writes a duration with three digits, as page.js does.
func milliseconds(ms float64) string {
	switch {
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 10_000:
		return fmt.Sprintf("%.2f s", ms/1000)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", ms/1000)
	case ms < 3_600_000:
		s := int(math.Round(ms / 1000))
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	m := int(math.Round(ms / 60_000))
	return fmt.Sprintf("%d h %d min", m/60, m%60)
}

// number writes 12345 as 12,345.
func number(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// mean writes a mean with one digit behind the point, unless that is 0.
func mean(f float64) string {
	whole, tenth, _ := strings.Cut(fmt.Sprintf("%.1f", f), ".")
	n, _ := strconv.Atoi(whole)
	if tenth == "0" {
		return number(n)
	}
	return number(n) + "." + tenth
}

// share writes a rate in percent.
func share(f float64) string { return fmt.Sprintf("%.1f", 100*f) }
