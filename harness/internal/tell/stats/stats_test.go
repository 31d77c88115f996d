package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
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
}

// The interval of tasks drawn within families of 1 to 17 has the true mean in 93 % and more.
func TestStratified(t *testing.T) {
	need.Is(t, "too few tasks", (*Interval)(nil), Stratified([][]float64{slices.Repeat([]float64{0, 1}, 9)}))
	need.Equal(t, "all alike", &Interval{0.8865, 1}, Stratified([][]float64{slices.Repeat([]float64{1}, 30)}), cmpopts.EquateApprox(0, 1e-4))
	for n := 20; n < 60; n++ {
		need.Is(t, "the end of all alike", 1, Stratified([][]float64{slices.Repeat([]float64{1}, n)}).High)
		need.Is(t, "the end of none", 0, Stratified([][]float64{slices.Repeat([]float64{0}, n)}).Low)
	}
	sizes := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17}
	for name, test := range map[string]struct {
		sizes    []int
		policies int
		rate     func(family int) float64
	}{
		"one rate":              {sizes, 1, func(int) float64 { return 0.8 }},
		"a high rate":           {sizes, 1, func(int) float64 { return 0.95 }},
		"families differ":       {sizes, 1, func(f int) float64 { return 0.5 + float64(f)/26 }},
		"families differ much":  {sizes, 1, func(f int) float64 { return float64(f%3) / 2 }},
		"policies that agree":   {sizes, 8, func(f int) float64 { return 0.5 + float64(f)/26 }},
		"twenty tasks":          {[]int{1, 2, 3, 5, 9}, 1, func(int) float64 { return 0.7 }},
		"twenty of one a piece": {[]int{1, 1, 1, 1, 1, 1, 1, 1, 12}, 1, func(f int) float64 { return 0.9 - float64(f)/20 }},
	} {
		const runs = 2000
		random, covered := rand.New(rand.NewPCG(7, 7)), 0
		for range runs {
			truth, n := 0.0, 0.0
			var families [][]float64
			for f, size := range test.sizes {
				var rates []float64
				for range size {
					task, passed := random.Float64(), 0.0
					for range test.policies { // a hard task is hard for most
						if 0.8*task+0.2*random.Float64() < test.rate(f) {
							passed++
						}
					}
					rates = append(rates, passed/float64(test.policies))
				}
				truth, n = truth+float64(size)*within(test.rate(f)), n+float64(size)
				families = append(families, rates)
			}
			if in := Stratified(families); in.Low <= truth/n && truth/n <= in.High {
				covered++
			}
		}
		if covered < runs*93/100 {
			t.Errorf("%s: %d of %d intervals have the true mean", name, covered, runs)
		}
	}
}

// within returns how often 0.8 x + 0.2 y is below rate, if x and y are drawn from 0 to 1.
func within(rate float64) float64 {
	below := func(r float64) float64 { return max(0, r) * max(0, r) / 2 / (0.8 * 0.2) }
	return below(rate) - below(rate-0.8) - below(rate-0.2) + below(rate-1)
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
