package stats

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
		{"sign flip, all up", SignFlip([]float64{1, 2, 3, 4, 5, 6}), 2.0 / 64},
		{"sign flip, one down", SignFlip([]float64{-1, 2, 3, 4, 5, 6}), 4.0 / 64},
		{"sign flip, zeros", SignFlip([]float64{0, 0, 1, 1}), 0.5},
	} {
		if math.Abs(test.got-test.want) > 1e-6 {
			t.Errorf("%s: %.7f, want %.7f", test.name, test.got, test.want)
		}
	}
}

func TestSampledSignFlip(t *testing.T) {
	var list []float64
	for i := range exactTasks + 1 {
		list = append(list, float64(i%5)-1.2)
	}
	exact := 0
	total := 0.0
	for _, d := range list {
		total += d
	}
	allSubsets(list, 0, 0, func(part float64, _ int) {
		if math.Abs(total-2*part) >= math.Abs(total)*(1-1e-9) {
			exact++
		}
	})
	want := float64(exact) / math.Exp2(float64(len(list)))
	if got := SignFlip(list); math.Abs(got-want) > 0.01 || got != SignFlip(list) {
		t.Errorf("sampled %.4f, exact %.4f", got, want)
	}
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
		if got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// The interval of a mean leaves out 0 just when the sign-flip test shows a difference.
func TestMeanInterval(t *testing.T) {
	for _, list := range [][]float64{{1, 2, 3, 4, 5, 6}, {-0.1, 2, 3, 4, 5, 6}, {-4, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 2, 3, 4, 5}} {
		i, p := MeanInterval(list, 0.05), SignFlip(list)
		if shown := i != nil && (i.Low > 0 || i.High < 0); shown != (p <= 0.05) {
			t.Errorf("%v: p %.4f, interval %v", list, p, i)
		}
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
		if diff := cmp.Diff(test.want, test.got, cmpopts.EquateApprox(0, 1e-9), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// The distributions agree with tables.
func TestDistributions(t *testing.T) {
	ten := binomial{n: 10, rate: 0.5}
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"a rate of one half", ten.atMost(3), 176.0 / 1024},
		{"none", ten.atMost(0), 1.0 / 1024},
		{"all", ten.atMost(10), 1},
		{"exactly three", ten.exactly(3), 120.0 / 1024},
		{"a high rate", binomial{n: 20, rate: 0.9}.atMost(17), 0.3230731},
		{"a large number", binomial{n: 10_000, rate: 0.5}.atMost(5_000), 0.50398936},
		{"the deviation", ten.deviation(), math.Sqrt(2.5)},
	} {
		if math.Abs(test.got-test.want) > 1e-7 {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
}
