package observer

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// timingScript reads the timings of the page's document as OpenChrome does.
const timingScript = `(() => {` + primordials + `
const entries = type => call("getEntriesByType", call("get performance", window), type);
const get = (entry, name) => call("get " + name, entry);
let navigation = "", paint = "", total = 0, largest = 0, longest = 0;
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
for (let i = 0; i < resources.length; i++) {
	const size = get(resources[i], "transferSize"), duration = get(resources[i], "duration");
	total += size;
	if (size > largest) largest = size;
	if (duration > longest) longest = duration;
}
return '{"navigation":{' + navigation + '},"paint":{' + paint + '},"resource":{"count":' + resources.length +
	',"totalTransferSize":' + total + ',"largestTransferSize":' + largest + ',"maxDuration":' + longest + "}}";
})()`

type performanceFact struct {
	base
	Metric string  `json:"metric"`
	Unit   string  `json:"unit"`
	Value  float64 `json:"value"`
}

// readPerformance returns a contract fact for each of [evidence.Metrics] that the tab has.
func (o *Observer) readPerformance(ctx context.Context, t *tab, sessionID string) (facts []any, err error) {
	metrics, err := devtools.Call(ctx, o.session(t), performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	var timing map[string]map[string]float64
	if err := o.evaluate(ctx, t, timingScript, &timing); err != nil {
		return nil, fmt.Errorf("the page's timeline: %w", err)
	}
	base := newBase("performance", "performance_metrics", sessionID, string(t.id))
	add := func(metric string, value float64) {
		if unit := evidence.Metrics[metric]; unit != "" {
			facts = append(facts, performanceFact{base, metric, unit, value})
		}
	}
	for _, m := range metrics.Metrics {
		add("puppeteer."+m.Name, m.Value)
	}
	for _, group := range slices.Sorted(maps.Keys(timing)) {
		for _, name := range slices.Sorted(maps.Keys(timing[group])) {
			add(group+"."+name, timing[group][name])
		}
	}
	return facts, nil
}
