package launch

import (
	"context"
	"errors"
	"sync"
)

// LocalTools are the programs of this machine that the local launcher runs. The field
// of a program that was not found is empty.
type LocalTools struct {
	Chromium       string // path, from CHROME_PATH or found
	Node           string // path
	NodeVersion    string
	Package        string // folder of the server's package
	PackageVersion string

	// Why a program is missing or not usable, and what to do about it; nil if it is usable.
	NoChromium, NoNode, NoPackage error
}

// FindLocal finds the programs. The error says why [NewLocal] would not work here. It has
// one line for each program that is missing or not usable, with the remedy. The tools still
// hold the programs that were found.
func FindLocal(ctx context.Context, o LocalOptions) (t LocalTools, err error) {
	t.Chromium, t.NoChromium = findChromium()
	var wg sync.WaitGroup
	wg.Go(func() { t.Node, t.NodeVersion, t.NoNode = findNode(ctx) })
	p, err := findPackage(ctx, o.Server, o.Package)
	wg.Wait()
	if t.NoPackage = err; err == nil {
		t.Package, t.PackageVersion = p.dir, p.version
	} else {
		p = &nodePackage{server: o.Server, version: o.Server.Version, engines: o.Server.Start.Node}
	}
	if t.NoNode == nil {
		t.NoNode = p.checkNode(t.NodeVersion)
	}
	return t, errors.Join(t.NoChromium, t.NoNode, t.NoPackage)
}
