package judge

import (
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// no_dialog holds while no JavaScript dialog is open.
var noDialogKind = kind{
	name: "no_dialog", fields: []string{"kind"}, fact: evidence.FactDialog,
	read: func(*assertion) leaf { return noDialog{} },
	// OpenChrome's bug: see domCountKind.
	actual: func(evidence.Details) any { return evidence.Details{{Key: "has_open_dialog", Value: nil}} },
}

type noDialog struct{}

func (noDialog) judge(j *judging) (bool, evidence.Details) {
	d := evidence.Details{{Key: "dialog_open", Value: j.facts.HasOpenDialog}}
	if j.facts.OpenDialog != "" {
		d = append(d, evidence.Detail{Key: "dialog", Value: j.facts.OpenDialog})
	}
	return !j.facts.HasOpenDialog, d
}

func (noDialog) want() string { return "no dialog is open" }

func (noDialog) got(d evidence.Details) string {
	if open, _ := d.Get("dialog_open"); open == true {
		if dialog := d.Text("dialog"); dialog != "" {
			return "a dialog is open: " + clean(dialog)
		}
		return "a dialog is open"
	}
	return "no dialog is open"
}
