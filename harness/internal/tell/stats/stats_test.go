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
		{"flips, all on one side", Flips([]int{-1, -1, -1, 0}), 0.25},
		{"flips, of different sizes", Flips([]int{3, -1, 1, 1}), 0.5},
		{"flips, none", Flips([]int{2, -2}), 1},
		{"flips, many", Flips(slices.Repeat([]int{1, 1, -1}, 3000)), 2.4e-221},
		{"sign", Sign(6, 6), 2.0 / 64},
		{"sign, one is against it", Sign(4, 6), 14.0 / 64},
		{"sign, nothing", Sign(0, 0), 1},
		{"pairs", float64(Pairs(1, 0.1, 0.05, 0.9)), 101},
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

func TestShare(t *testing.T) {
	for _, test := range []struct {
		name  string
		least []float64
		want  float64
	}{
		{"all share", []float64{0.001, 0.001}, 0.025},
		{"one could show something", []float64{1, 0.033, 1}, 0.05},
		{"one could show nothing at its share", []float64{0.03, 0.001, 0.02}, 0.025},
		{"none could", []float64{1, 1}, 0.05},
		{"no test", nil, 0.05},
	} {
		need.Equal(t, test.name, test.want, Share(test.least, 0.05), cmpopts.EquateApprox(0, 1e-9))
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
