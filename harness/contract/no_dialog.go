package contract

// no_dialog holds while no JavaScript dialog is open.
var noDialogKind = kind{
	name: "no_dialog", fields: []string{"kind"}, fact: FactDialog,
	read: func(*assertion) leaf { return noDialog{} },
	// OpenChrome's bug: see domCountKind.
	actual: func(Details) any { return Details{{"has_open_dialog", nil}} },
}

type noDialog struct{}

func (noDialog) judge(j *judging) (bool, Details) {
	return !j.facts.HasOpenDialog, Details{{"dialog_open", j.facts.HasOpenDialog}}
}

func (noDialog) want() string { return "no dialog is open" }

func (noDialog) got(d Details) string {
	if open, _ := d.Get("dialog_open"); open == true {
		return "a dialog is open"
	}
	return "no dialog is open"
}
