package harness

// Targets is the list that is held against the magefile.
var Targets = targets
