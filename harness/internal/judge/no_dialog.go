package judge

// no_dialog holds while no JavaScript dialog is open.
var noDialogKind = kind{
	name: "no_dialog", fields: []string{"kind"}, fact: FactDialog,
	read: func(*assertion) leaf { return noDialog{} },
	// OpenChrome's bug: see domCountKind.
	actual: func(Details) any { return Details{{"has_open_dialog", nil}} },
}

type noDialog struct{}

func (noDialog) judge(j *judging) (bool, Details) {
	d := Details{{"dialog_open", j.facts.HasOpenDialog}}
	if j.facts.OpenDialog != "" {
		d = append(d, Detail{"dialog", j.facts.OpenDialog})
	}
	return !j.facts.HasOpenDialog, d
}

func (noDialog) want() string { return "no dialog is open" }

func (noDialog) got(d Details) string {
	if open, _ := d.Get("dialog_open"); open == true {
		if dialog := d.text("dialog"); dialog != "" {
			return "a dialog is open: " + clean(dialog)
		}
		return "a dialog is open"
	}
	return "no dialog is open"
}
