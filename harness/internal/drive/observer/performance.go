package observer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

// metricUnits are the browser's metrics that Puppeteer and OpenChrome return.
var metricUnits = map[string]string{
	"Timestamp":           "seconds",
	"Documents":           "count",
	"Frames":              "count",
	"JSEventListeners":    "count",
	"Nodes":               "count",
	"LayoutCount":         "count",
	"RecalcStyleCount":    "count",
	"LayoutDuration":      "seconds",
	"RecalcStyleDuration": "seconds",
	"ScriptDuration":      "seconds",
	"TaskDuration":        "seconds",
	"JSHeapUsedSize":      "bytes",
	"JSHeapTotalSize":     "bytes",
}

// timingScript reads the timings of the page's document as OpenChrome does.
const timingScript = `(() => {` + primordials + `
const entries = type => call("getEntriesByType", call("get performance", window), type);
const get = (entry, name) => call("get " + name, entry);
let navigation = "", paint = "", totalSize = 0;
const add = (members, name, value) => members + (members ? "," : "") + json(name) + ":" + json(value);
const navigations = entries("navigation"), paints = entries("paint"), resources = entries("resource");
if (navigations.length) {
	const nav = navigations[0], from = (start, end) => get(nav, end) - get(nav, start);
	navigation = add(navigation, "redirectTime", from("redirectStart", "redirectEnd"));
	navigation = add(navigation, "dnsTime", from("domainLookupStart", "domainLookupEnd"));
	navigation = add(navigation, "connectTime", from("connectStart", "connectEnd"));
	navigation = add(navigation, "requestTime", from("requestStart", "responseStart"));
	navigation = add(navigation, "responseTime", from("responseStart", "responseEnd"));
	navigation = add(navigation, "domInteractive", get(nav, "domInteractive"));
	navigation = add(navigation, "domContentLoadedEventEnd", get(nav, "domContentLoadedEventEnd"));
	navigation = add(navigation, "loadEventEnd", get(nav, "loadEventEnd"));
	navigation = add(navigation, "duration", get(nav, "duration"));
}
for (let i = 0; i < paints.length; i++) paint = add(paint, get(paints[i], "name"), get(paints[i], "startTime"));
for (let i = 0; i < resources.length; i++) totalSize += get(resources[i], "transferSize");
return '{"navigation":{' + navigation + '},"paint":{' + paint +
	'},"resource":{"totalResources":' + resources.length + ',"totalSize":' + totalSize + "}}";
})()`

type performanceFact struct {
	base
	Metric string  `json:"metric"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
}

// readPerformance returns a contract fact for each metric of the tab.
func (o *Observer) readPerformance(ctx context.Context, t *tab, sessionID string) (facts []any, err error) {
	metrics, err := devtools.Call(ctx, o.session(t), performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	var timing struct {
		Navigation map[string]float64 `json:"navigation"`
		Paint      map[string]float64 `json:"paint"`
		Resource   struct {
			TotalResources float64 `json:"totalResources"`
			TotalSize      float64 `json:"totalSize"`
		} `json:"resource"`
	}
	if err := o.evaluate(ctx, t, timingScript, &timing); err != nil {
		return nil, fmt.Errorf("the page's timeline: %w", err)
	}
	base := newBase("performance", "performance_metrics", sessionID, string(t.id))
	add := func(metric, unit string, value float64) {
		facts = append(facts, performanceFact{base, metric, unit, value})
	}
	for _, m := range metrics.Metrics {
		if unit := metricUnits[m.Name]; unit != "" {
			add("puppeteer."+m.Name, unit, m.Value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(timing.Navigation)) {
		add("navigation."+name, "ms", timing.Navigation[name])
	}
	for _, name := range slices.Sorted(maps.Keys(timing.Paint)) {
		add("paint."+name, "ms", timing.Paint[name])
	}
	add("resource.totalResources", "count", timing.Resource.TotalResources)
	add("resource.totalSize", "bytes", timing.Resource.TotalSize)
	return facts, nil
}
