package containers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// base is the base image of the recipe.
const base = "debian:bookworm-slim"

// repository is the prefix of our images' names. No registry serves localhost, so nobody
// can replace our images.
const repository = "localhost/openchrome-bench/"

// BuildOptions choose the content of the images.
type BuildOptions struct {
	// Package is the OpenChrome: a version on npm, or the path of a packed package (.tgz),
	// a folder with a built OpenChrome, or its dist/index.js. "" is the version on npm that
	// is pinned here, whatever other images this engine has.
	Package string
	// Server is a Go package of this module, such as ./harness/internal/drive/containers/testdata/server:
	// an MCP server that runs instead of OpenChrome and its browser. "" is
	// OpenChrome.
	Server string
	// Progress gets a line for each stage of a build, unless it is nil.
	Progress io.Writer
}

// Images are the images of a launcher.
type Images struct {
	Web     string // id of the fixture web's image
	Server  string // id of OpenChrome's image, or of the server in its place
	Package string // openchrome-mcp@1.12.9; sha256:… of the user's own package or of the server's binary
}

// Present returns the images for o that exist, and whether all do. A missing image
// has no id.
func Present(ctx context.Context, o BuildOptions) (images Images, present bool, err error) {
	e, err := connect(ctx)
	if err != nil {
		return Images{}, false, err
	}
	defer e.close()
	web, server, err := e.plan(ctx, o)
	if err == nil {
		images, err = e.present(ctx, web, server)
	}
	return images, images.Web != "" && images.Server != "", err
}

func (e *engine) present(ctx context.Context, web, server image) (images Images, err error) {
	images.Package = server.identity
	if images.Web, err = e.imageID(ctx, web.tag()); err != nil {
		return images, err
	}
	images.Server, err = e.imageID(ctx, server.tag())
	return images, err
}

// build returns the images for o and builds those that are missing. Tags are hashes
// of an image's inputs, so an unchanged image is not built again. If a build fails,
// the error ends with the end of its output.
func (e *engine) build(ctx context.Context, o BuildOptions) (images Images, err error) {
	if o.Server == "" && o.Package == "" {
		line(o.Progress, "openchrome image: using openchrome-mcp@%s, the default (-package= names another)", OnNpm)
	}
	web, server, err := e.plan(ctx, o)
	if err != nil {
		return Images{}, err
	}
	if images, err = e.present(ctx, web, server); err != nil {
		return images, err
	}
	if images.Server == "" && o.Server == "" {
		if err := e.pullBase(ctx, o.Progress); err != nil {
			return images, err
		}
	}
	if images.Web == "" {
		if images.Web, err = e.buildImage(ctx, web, o.Progress); err != nil {
			return images, err
		}
	}
	if images.Server == "" {
		images.Server, err = e.buildImage(ctx, server, o.Progress)
	}
	return images, err
}

func (e *engine) plan(ctx context.Context, o BuildOptions) (web, server image, err error) {
	var noServer error
	var both sync.WaitGroup // both at the same time, because go build and the package's hash are slow
	if o.Server == "" {
		both.Go(func() { server, noServer = packaged(o.Package) })
	}
	web, err = e.static(ctx, o, "web", "./harness/internal/web/cmd/web")
	both.Wait()
	if o.Server != "" && err == nil {
		server, err = e.static(ctx, o, "server", o.Server)
	}
	return web, server, cmp.Or(err, noServer)
}

func packaged(name string) (image, error) {
	src, err := openSource(name)
	if err != nil {
		return image{}, err
	}
	i := image{kind: "openchrome", identity: src.identity, files: recipe("openchrome")}
	maps.Copy(i.files, src.files)
	if src.version != "" {
		i.args = map[string]*string{"OPENCHROME": &src.version}
	}
	return i, nil
}

type image struct {
	kind     string // openchrome, web or server
	identity string // identity of the program in it
	files    files
	args     map[string]*string
}

// tag names the image by a hash of its inputs.
func (i image) tag() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", i.files.digest(), i.identity)
	return repository + i.kind + ":" + hex.EncodeToString(h.Sum(nil))[:16]
}

func (e *engine) imageID(ctx context.Context, name string) (string, error) {
	i, err := e.api.ImageInspect(ctx, name)
	if err != nil && !errdefs.IsNotFound(err) {
		return "", fmt.Errorf("docker: inspect image %s: %w", name, err)
	}
	return i.ID, nil
}

func (e *engine) buildImage(ctx context.Context, i image, progress io.Writer) (id string, err error) {
	tag := i.tag()
	if id, err = e.imageID(ctx, tag); err != nil || id != "" {
		return id, err
	}
	out := &buildLog{name: i.kind + " image", progress: progress}
	defer func() { out.end(err) }()
	repo, hash, _ := strings.Cut(tag, ":")
	_, err = e.provider.BuildImage(ctx, &testcontainers.ContainerRequest{FromDockerfile: testcontainers.FromDockerfile{
		ContextArchive: bytes.NewReader(i.files.archive()),
		BuildArgs:      i.args,
		Repo:           repo,
		Tag:            hash,
		KeepImage:      true,
		BuildLogWriter: out,
		BuildOptionsModifier: func(b *client.ImageBuildOptions) {
			b.Labels = map[string]string{imageLabel: i.kind, packageLabel: i.identity}
		},
	}})
	if err != nil {
		return "", fmt.Errorf("build the %s image: %w\n%s", i.kind, err, out.tail())
	}
	return e.imageID(ctx, tag)
}

// pullBase gets the base image if it is not there, to say what to do if it cannot.
func (e *engine) pullBase(ctx context.Context, progress io.Writer) error {
	if id, err := e.imageID(ctx, base); err != nil || id != "" {
		return err
	}
	line(progress, "base image: pulling %s", base)
	pull, err := e.api.ImagePull(ctx, base, client.ImagePullOptions{})
	if err == nil {
		err = pull.Wait(ctx)
	}
	if err != nil {
		err = errors.New(firstLine(err.Error()))
		return fmt.Errorf("pull %s: %w; if no registry is reachable, make the image with .ci/base.sh", base, err)
	}
	return nil
}
