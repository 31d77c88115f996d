package watchdog

import "testing"

func TestOwner(t *testing.T) {
	me := Self()
	for name, o := range map[string]Owner{
		"this process":                me,
		"of another machine":          {1 << 30, 1, "x" + me.Machine},
		"without a machine":           {1 << 30, 1, ""},
		"with an unknown start":       {1 << 30, 0, me.Machine},
		"of another machine, our pid": {me.Pid, me.Start + 1, "x" + me.Machine},
	} {
		if o.Dead() {
			t.Errorf("an owner %s is dead", name)
		}
	}
	for name, o := range map[string]Owner{
		"that has ended":             {1 << 30, 1, me.Machine},
		"whose number is used again": {me.Pid, me.Start + 1, me.Machine},
	} {
		if !o.Dead() {
			t.Errorf("an owner %s is not dead", name)
		}
	}
}
