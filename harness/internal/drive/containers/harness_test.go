package containers

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/need"
)

// The Indexed Job of containers/kubernetes, without Kubernetes: a container for each index,
// one of them killed in the middle and started again, and then the merge. It gives the same
// canonical report as a run that was not split. The stand-in needs no OpenChrome, so the image
// is made from the bare base.
func TestIndexedJob(t *testing.T) {
	p := newPlay(t, "")
	shards := readManifest(t, "../../../../containers/kubernetes/shards.yaml")
	n, err := strconv.Atoi(shards.completions)
	if err != nil || n < 2 {
		t.Fatalf("%s completions", shards.completions)
	}
	start := func(index int, env ...string) *pod {
		i := strconv.Itoa(index)
		args := strings.ReplaceAll(strings.Join(shards.args, "\n"), "$(JOB_COMPLETION_INDEX)", i)
		return p.start(strings.Split(args, "\n"), append(env, "JOB_COMPLETION_INDEX="+i, "OPENCHROME_BENCH_SHARDS="+shards.completions)...)
	}
	const victim = 2
	var pods []*pod
	for i := range n {
		if i == victim { // slow, so that it is killed in the middle
			pods = append(pods, start(i, "OPENCHROME_BENCH_STANDIN_LATENCY=50ms"))
		} else {
			pods = append(pods, start(i))
		}
	}
	pods[victim].await("passed ")
	need.OK(t, need.Err(p.engine.api.ContainerKill(t.Context(), pods[victim].id, client.ContainerKillOptions{Signal: "KILL"})))
	for i, pod := range pods {
		if i == victim {
			pod.want(137, "")
		} else {
			pod.want(0, "PASSED: ")
		}
	}
	merge := readManifest(t, "../../../../containers/kubernetes/merge.yaml").args
	p.start(merge).want(6, "nightly (shard 3/4) is not whole")
	start(victim).want(0, "resuming run nightly: ")
	p.start(merge).want(0, "PASSED: ")
	whole := strings.ReplaceAll(strings.Join(shards.args, "\n"), "/shards/$(JOB_COMPLETION_INDEX)", "/whole")
	p.start(strings.Split(whole, "\n")).want(0, "PASSED: ")
	p.run("cmp", []string{"/results/reports/nightly.canonical.json", "/results/whole/reports/nightly.canonical.json"}).want(0, "")
}

// OpenChrome and Chromium run in the image as the manifest starts it: not root, without
// Docker, without a network. The report says that Chromium has no sandbox.
func TestHarnessImage(t *testing.T) {
	o := realOptions(t)
	images, err := buildImages(t.Context(), o.BuildOptions)
	need.OK(t, err)
	p := newPlay(t, images.Server)
	p.start([]string{"bench:mock", "-task=example-h1", "-server=local:/openchrome"}).
		want(0, "note     Chromium ran without its sandbox, because OPENCHROME_BENCH_NO_SANDBOX is set.")
}

// manifest is the part of a Job that a play needs.
type manifest struct {
	args        []string
	completions string
}

var (
	argument    = regexp.MustCompile(`(?m)^ +- ((?:bench|report):\w+|-\w+=\S+)$`)
	completions = regexp.MustCompile(`(?m)^  completions: (\d+)$`)
)

func readManifest(t *testing.T, name string) (m manifest) {
	t.Helper()
	data := need.Read(t, name)
	for _, found := range argument.FindAllSubmatch(data, -1) {
		m.args = append(m.args, string(found[1]))
	}
	if found := completions.FindSubmatch(data); found != nil {
		m.completions = string(found[1])
	}
	if len(m.args) < 4 {
		t.Fatalf("%s has the arguments %q", name, m.args)
	}
	return m
}

// play runs pods of the harness's image on one volume.
type play struct {
	*testing.T
	engine *engine
	image  string
	volume string
}

// newPlay makes the image from OpenChrome's image; "" is the base, which has no OpenChrome.
func newPlay(t *testing.T, openchrome string) *play {
	t.Helper()
	e := needEngine(t)
	if openchrome == "" {
		err := e.pullBase(t.Context(), t.Output())
		need.OK(t, err)
		openchrome, err = e.imageID(t.Context(), base)
		need.OK(t, err)
	}
	name, err := buildHarness(t.Context(), openchrome, t.Output())
	need.OK(t, err)
	v, err := e.api.VolumeCreate(t.Context(), client.VolumeCreateOptions{})
	need.OK(t, err)
	t.Cleanup(func() {
		ctx := context.Background()
		e.api.VolumeRemove(ctx, v.Volume.Name, client.VolumeRemoveOptions{Force: true})
		e.api.ImageRemove(ctx, name, client.ImageRemoveOptions{PruneChildren: true})
	})
	return &play{t, e, name, v.Volume.Name}
}

// pod is a container of the harness's image.
type pod struct {
	*play
	id   string
	args []string
}

// start starts the harness on the stand-in, unless args say otherwise.
func (p *play) start(args []string, env ...string) *pod {
	return p.run("", args, append(env, "OPENCHROME_BENCH_SERVER=standin")...)
}

// run starts a program; "" is the harness. The container is limited like the manifest's pods.
func (p *play) run(program string, args []string, env ...string) *pod {
	p.Helper()
	c := &container.Config{Image: p.image, Cmd: args, Env: env}
	if program != "" {
		c.Entrypoint = []string{program}
	}
	made, err := p.engine.api.ContainerCreate(p.Context(), client.ContainerCreateOptions{Config: c, HostConfig: &container.HostConfig{
		NetworkMode:    "none",
		ReadonlyRootfs: true,
		CapDrop:        []string{"ALL"},
		SecurityOpt:    []string{"no-new-privileges"},
		Tmpfs:          map[string]string{"/tmp": "exec"},
		Mounts:         []mount.Mount{{Type: mount.TypeVolume, Source: p.volume, Target: "/results"}},
		LogConfig:      container.LogConfig{Type: "json-file"},
	}})
	if err == nil {
		p.Cleanup(func() { p.engine.removeContainer(context.Background(), made.ID) })
		_, err = p.engine.api.ContainerStart(p.Context(), made.ID, client.ContainerStartOptions{})
	}
	if err != nil {
		p.Fatal(err)
	}
	return &pod{p, made.ID, args}
}

// output returns what the pod has written, or writes until it ends.
func (p *pod) output(follow bool) io.ReadCloser {
	logs, err := p.engine.api.ContainerLogs(p.Context(), p.id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Follow: follow})
	if err != nil {
		p.Error(err)
		return io.NopCloser(strings.NewReader(""))
	}
	r, w := io.Pipe()
	go func() {
		_, err := stdcopy.StdCopy(w, w, logs)
		w.CloseWithError(err)
		logs.Close()
	}()
	return r
}

// await waits for a line that begins with text.
func (p *pod) await(text string) {
	p.Helper()
	out := p.output(true)
	defer out.Close()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), text) {
			return
		}
	}
	p.Fatalf("%q ended before it wrote %q", p.args, text)
}

// want waits for the end of the pod, and compares its exit code and its output.
func (p *pod) want(code int64, text string) {
	p.Helper()
	wait := p.engine.api.ContainerWait(p.Context(), p.id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	var got int64
	select {
	case r := <-wait.Result:
		got = r.StatusCode
	case err := <-wait.Error:
		p.Errorf("%q: %v", p.args, err)
		return
	}
	var out bytes.Buffer
	io.Copy(&out, p.output(false))
	if got != code || !strings.Contains(out.String(), text) {
		p.Errorf("%q: exit code %d, want %d and %q:\n%s", p.args, got, code, text, &out)
	}
}
