package param

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// vectors is the params.json of the published test vectors.
const vectors = `{"values": {
  "colour": {"oneOf": ["red", "green", "blue"]},
  "amount": {"int": [10, 995], "step": 5, "decimals": 2},
  "cities": {"some": 3, "of": ["Bari", "Cork", "Faro", "Graz", "Lyon"]},
  "code": {"token": 8}
}}`

// naive is a second implementation, as fixtures/README.md describes the seeds. It shares
// nothing with the first.
type naive struct {
	numbers []uint64
}

func newNaive(task string, revision, n int, name string) *naive {
	mac := hmac.New(sha256.New, nil)
	mac.Write([]byte(strings.Join([]string{"openchrome-bench 1", task, fmt.Sprint(revision), fmt.Sprint(n), name}, "\n")))
	seed := mac.Sum(nil)
	var s naive
	for block := range 100 {
		sum := sha256.Sum256(append(slices.Clone(seed), 0, 0, 0, 0, 0, 0, 0, byte(block)))
		for at := 0; at < 32; at += 8 {
			var v uint64
			for _, b := range sum[at : at+8] {
				v = v*256 + uint64(b)
			}
			s.numbers = append(s.numbers, v)
		}
	}
	return &s
}

func (s *naive) below(n uint64) uint64 {
	power := uint64(1)
	for power < n {
		power *= 2
	}
	for {
		v := s.numbers[0] % power
		if s.numbers = s.numbers[1:]; v < n {
			return v
		}
	}
}

func TestVectors(t *testing.T) {
	raw := need.Read(t, "../../../../fixtures/README.md")
	doc := string(raw)
	if !strings.Contains(doc, vectors) {
		t.Error("fixtures/README.md does not have the params.json of the test vectors")
	}
	spec := read(t, vectors)
	for _, c := range []struct{ n, revision int }{{0, 1}, {1, 1}, {0, 2}, {1 << 53, 1}} {
		got := spec.Draw(c.n, "example", c.revision)
		stream := func(name string) *naive { return newNaive("example", c.revision, c.n, name) }

		colour := []string{"red", "green", "blue"}[stream("colour").below(3)]
		amount := fmt.Sprintf("%.2f", float64(10+5*stream("amount").below(198))/100)
		cities := []string{"Bari", "Cork", "Faro", "Graz", "Lyon"}
		s := stream("cities")
		for i := range 3 {
			j := i + int(s.below(uint64(5-i)))
			cities[i], cities[j] = cities[j], cities[i]
		}
		code := ""
		s = stream("code")
		for range 8 {
			code += string("abcdefghjkmnpqrstuvwxyz23456789"[s.below(31)])
		}
		list := strings.Join(cities[:3], ", ")
		if got["colour"] != colour || got["amount"] != amount || strings.Join(got["cities"].([]string), ", ") != list || got["code"] != code {
			t.Errorf("seed %d, revision %d: %v; by hand: %s, %s, %s, %s", c.n, c.revision, got, colour, amount, list, code)
		}
		if row := fmt.Sprintf("| %d | %d | %s | %s | %s | %s |", c.n, c.revision, colour, amount, list, code); !strings.Contains(doc, row) {
			t.Errorf("fixtures/README.md does not have the test vector\n%s", row)
		}
	}
}

// Every number is as likely as any other. With a remainder instead of a new number, the
// first ones would come twice as often.
func TestBelow(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 31, 1000} {
		s := newStream(0, "task", 1, "value")
		counts := make([]int, n)
		for range 200 * n {
			counts[s.below(n)]++
		}
		sum := 0.0
		for _, got := range counts {
			sum += math.Pow(float64(got)-200, 2) / 200
		}
		// Chi-squared with n-1 degrees of freedom, mean n-1 and standard deviation √(2n-2).
		if limit := float64(n-1) + 5*math.Sqrt(2*float64(n)); sum > limit {
			t.Errorf("below(%d): chi-squared is %.1f, want at most %.1f", n, sum, limit)
		}
	}
}

// Every order is as likely as any other.
func TestPick(t *testing.T) {
	counts := make(map[string]int)
	const draws = 24_000
	for i := range draws {
		counts[fmt.Sprint(newStream(i, "task", 1, "value").pick(4, 4))]++
	}
	for order, n := range counts {
		if math.Abs(float64(n)-1000) > 5*math.Sqrt(1000) {
			t.Errorf("order %s comes %d times of %d", order, n, draws)
		}
	}
	need.Is(t, "orders of 4 items", 24, len(counts))
	seen := make(map[int]bool)
	for _, i := range newStream(0, "task", 1, "value").pick(1000, 2_000_000_001) {
		if seen[i] || i < 0 || i > 2_000_000_000 {
			t.Errorf("%d is picked twice or outside of the range", i)
		}
		seen[i] = true
	}
}
