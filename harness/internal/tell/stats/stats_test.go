package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/need"
)

// The values were computed with exact fractions.
func TestTests(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"fisher", Fisher(10, 10, 5, 10), 0.0325077},
		{"fisher, other way", Fisher(5, 10, 10, 10), 0.0325077},
		{"fisher, sides of different size", Fisher(20, 20, 9, 16), 0.0013704},
		{"fisher, nothing", Fisher(3, 6, 3, 6), 1},
		{"fisher, large", Fisher(5000, 5000, 4990, 5000), 0.0019443},
		{"fisher, very unlikely", Fisher(5000, 5000, 0, 5000), 0},
		{"least", LeastFisher(15, 10, 10), 0.0325077},
		{"stratified, three tasks", Stratified([]Table{{10, 10, 8, 10}, {10, 10, 7, 10}, {5, 5, 4, 5}}), 0.0249307},
		{"stratified, opposite", Stratified([]Table{{10, 10, 8, 10}, {7, 10, 10, 10}}), 1.0000000},
		{"stratified, sides of different size", Stratified([]Table{{3, 3, 0, 3}, {5, 9, 2, 4}}), 0.1790210},
		{"stratified, one task", Stratified([]Table{{10, 10, 5, 10}}), 0.0325077},
		{"stratified, nothing varies", Stratified([]Table{{10, 10, 10, 10}, {0, 3, 0, 3}}), 1},
		{"stratified, parts of episodes", Stratified(slices.Repeat([]Table{{1, 1, 0.5, 1}}, 4)), 148.0 / 256},
		{"at least 2 of 4", AtLeast(2, 4, 0.25), 67.0 / 256},
		{"at least 0 of 4", AtLeast(0, 4, 0.25), 1},
	} {
		if math.Abs(test.got-test.want) > 1e-6 {
			t.Errorf("%s: %.7f, want %.7f", test.name, test.got, test.want)
		}
	}
}

// The intervals are those of R's prop.test(x, n, correct=FALSE). Equal episodes have none.
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		passed, n int
		want      *Interval
	}{{0, 0, nil}, {0, 10, nil}, {10, 10, nil}, {5, 10, &Interval{0.2366, 0.7634}}, {95, 100, &Interval{0.8882, 0.9785}}} {
		need.Equal(t, fmt.Sprint(tt.passed, tt.n), tt.want, Wilson(tt.passed, tt.n), cmpopts.EquateApprox(0, 5e-5))
	}
	const z = 1.959963984540054
	need.Equal(t, "none", Interval{0, 0.2775}, wilson(0, 10, z), cmpopts.EquateApprox(0, 5e-5))
	need.Equal(t, "all", Interval{0.7225, 1}, wilson(1, 10, z), cmpopts.EquateApprox(0, 5e-5))
}

func TestMedianInterval(t *testing.T) {
	for n, want := range map[int]string{5: "3 none", 6: "3.5 1 6", 8: "4.5 1 8", 9: "5 2 8", 20: "10.5 6 15", 50: "25.5 18 33"} {
		var list []float64
		for i := n; i > 0; i-- {
			list = append(list, float64(i))
		}
		e := Median(list, 0.05)
		got := fmt.Sprint(e.Value, " none")
		if e.Interval != nil {
			got = fmt.Sprint(e.Value, " ", e.Interval.Low, " ", e.Interval.High)
		}
		need.Is(t, fmt.Sprintf("%d", n), want, got)
	}
}

func TestLevels(t *testing.T) {
	for _, test := range []struct {
		name      string
		got, want []float64
	}{
		{"all share", Tarone([]float64{0.001, 0.001}, 0.05), []float64{0.025, 0.025}},
		{"one could show something", Tarone([]float64{1, 0.033, 1}, 0.05), []float64{0.05 / 3, 0.05, 0.05 / 3}},
		{"one could show nothing at its share", Tarone([]float64{0.03, 0.001, 0.02}, 0.05), []float64{0.05 / 3, 0.025, 0.025}},
		{"none could", Tarone([]float64{1, 1}, 0.05), []float64{0.025, 0.025}},
		{"no test", Tarone(nil, 0.05), nil},
	} {
		need.Equal(t, test.name, test.want, test.got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty())
	}
}

// pass^k by the formula C(c,k) / C(n,k).
func TestPassAll(t *testing.T) {
	for _, tt := range []struct {
		passed, n, k int
		want         float64
	}{{7, 10, 1, 0.7}, {7, 10, 2, 21.0 / 45}, {7, 10, 8, 0}, {10, 10, 10, 1}, {0, 3, 1, 0}, {2, 3, 2, 1.0 / 3}} {
		if got := PassAll(tt.passed, tt.n, tt.k); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%d of %d, k=%d: got %v, want %v", tt.passed, tt.n, tt.k, got, tt.want)
		}
	}
}
