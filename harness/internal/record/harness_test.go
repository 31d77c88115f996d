package record

import "testing"

func TestHarnessDiffers(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	a := Harness{"0.1.0", commit}
	for _, test := range []struct {
		name    string
		a, b    Harness
		words   string
		certain bool
	}{
		{"the same", a, a, "", false},
		{"another commit", a, Harness{"0.1.0", "f" + commit[1:]}, "harness: 0.1.0, commit " + commit + " and 0.1.0, commit f" + commit[1:], true},
		{"another version", a, Harness{"0.2.0", Unknown}, "harness: 0.1.0, commit " + commit + " and 0.2.0, commit unknown", true},
		{"changes", a, Harness{"0.1.0", commit + Dirty}, "harness: 0.1.0, commit " + commit + " and 0.1.0, commit " + commit + "+dirty", true},
		{"the short commit of a dependency", a, Harness{"0.1.0", commit[:12]}, "", false},
		{"no build", Harness{}, a, "harness: unknown and 0.1.0, commit " + commit + "; it is not known whether they are the same build", false},
		{"no build on either side", Harness{}, Harness{}, "harness: unknown and unknown; it is not known whether they are the same build", false},
		{"an unknown commit", a, Harness{"0.1.0", Unknown}, "harness: 0.1.0, commit " + commit + " and 0.1.0, commit unknown; it is not known whether they are the same build", false},
		{"changes on both sides", Harness{"0.1.0", "a+dirty"}, Harness{"0.1.0", "a+dirty"}, "harness: 0.1.0, commit a+dirty and 0.1.0, commit a+dirty; it is not known whether they are the same build", false},
	} {
		if words, certain := test.a.Differs(test.b); words != test.words || certain != test.certain {
			t.Errorf("%s: %q, %t; want %q, %t", test.name, words, certain, test.words, test.certain)
		}
		if _, certain := test.b.Differs(test.a); certain != test.certain {
			t.Errorf("%s: the other way round, certain is %t", test.name, certain)
		}
	}
}
