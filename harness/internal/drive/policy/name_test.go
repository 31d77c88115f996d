package policy

import "testing"

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		`"a \"b\""`:         `a "b"`,
		`a \"b\"`:           `a "b"`,
		`Carrots \ud83c…`:   "Carrots \ufffd…",
		`"Carrots \ud83c…"`: "Carrots \ufffd…",
	} {
		if got := unquote(text); got != want {
			t.Errorf("unquote(%s) = %q, want %q", text, got, want)
		}
	}
	for key, want := range map[string]string{
		"Enter":      "Enter",
		"home":       "Home",
		"shift+down": "Shift+ArrowDown",
		"Control+a":  "Control+a",
	} {
		if got := keyName(key); got != want {
			t.Errorf("keyName(%s) = %q, want %q", key, got, want)
		}
	}
}
