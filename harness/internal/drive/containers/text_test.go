package containers

import "testing"

func TestOwner(t *testing.T) {
	me := self()
	if got, ok := parseOwner(me.String()); !ok || got != me {
		t.Errorf("parseOwner(%s) = %v, %v", me, got, ok)
	}
	for _, s := range []string{"", "a:b", "a:1:2:3", "a:x:1", "a:1:x", "a:0:1", "a:-1:1", "a:1:-1"} {
		if o, ok := parseOwner(s); ok {
			t.Errorf("parseOwner(%q) = %v", s, o)
		}
	}
	for name, o := range map[string]owner{
		"this process":                me,
		"of another machine":          newOwner("x"+me.machine, 1<<30, 1),
		"without a machine":           newOwner("", 1<<30, 1),
		"with an unknown start":       newOwner(me.machine, 1<<30, 0),
		"of another machine, our pid": newOwner("x"+me.machine, me.process.Pid, me.process.Start+1),
	} {
		if o.dead() {
			t.Errorf("an owner %s is dead", name)
		}
	}
	if me.machine == "" {
		return // nobody can tell here
	}
	for name, o := range map[string]owner{
		"that has ended":             newOwner(me.machine, 1<<30, 1),
		"whose number is used again": newOwner(me.machine, me.process.Pid, me.process.Start+1),
	} {
		if !o.dead() {
			t.Errorf("an owner %s is not dead", name)
		}
	}
}
