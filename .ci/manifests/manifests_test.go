// Package manifests checks the Kubernetes manifests with the types of the API.
package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	network "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../containers/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d manifests, %v", len(files), err)
	}
	// All as one: the NetworkPolicy of one file is for the pods of the others too.
	var all [][]byte
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
	}
	if err := check(bytes.Join(all, []byte("\n---\n"))); err != nil {
		t.Error(err)
	}
}

// The check finds mistakes.
func TestCheck(t *testing.T) {
	data, err := os.ReadFile("../../containers/kubernetes/shards.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, old, new, want string }{
		{"an unknown field", "completions: 4", "completion: 4", `unknown field "spec.completion"`},
		{"a field in another case", "completions: 4", "Completions: 4", `unknown field "spec.Completions"`},
		{"an unknown field of a pod", "runAsNonRoot:", "runAsNotRoot:", `unknown field "spec.template.spec.securityContext.runAsNotRoot"`},
		{"another type", "completions: 4", "completions: four", "cannot unmarshal string"},
		{"a field twice", "completions: 4", "completions: 4\n  completions: 5", `"completions" already set in map`},
		{"another version", "batch/v1", "batch/v2", "batch/v2 Job is not known here"},
		{"another number of shards", `value: "4"`, `value: "5"`, `OPENCHROME_BENCH_SHARDS is "5", want the 4 completions`},
		{"a failed episode is retried", "values: [3, 4]", "values: [4]", "exit code 3: Count, want FailIndex"},
		{"a lost episode is not retried", "values: [3, 4]", "values: [3, 4, 8]", "exit code 8: FailIndex, want Count"},
		{"a crash stops all shards", "values: [64]", "values: [2, 64]", "exit code 2: FailJob, want Count"},
		{"an eviction counts", "action: Ignore", "action: Count", "an eviction: Count, want Ignore"},
		{"no retry by index", "backoffLimitPerIndex", "backoffLimit", "want completions, backoffLimitPerIndex"},
		{"pods that restart", "restartPolicy: Never", "restartPolicy: OnFailure", "restartPolicy is OnFailure, want Never"},
		{"an image by tag", "harness@sha256:" + strings.Repeat("0", 64), "harness:1", "registry.example/openchrome-bench/harness:1 is not named by its digest"},
		{"no limit on what pods store", "ephemeral-storage: 2Gi", "cpu: 2", "no limit on ephemeral-storage"},
		{"a folder without a limit", "sizeLimit", "medium", "the emptyDir tmp has no sizeLimit"},
		{"a policy for other pods", "matchLabels:\n      app.kubernetes.io/name: openchrome-bench", "matchLabels:\n      app.kubernetes.io/name: bench", "no NetworkPolicy denies the pods of openchrome-bench all traffic"},
		{"a policy with a way out", "  policyTypes:", "  egress: [{}]\n  policyTypes:", "no NetworkPolicy denies the pods of openchrome-bench all traffic"},
		{"a policy for one direction", "[Ingress, Egress]", "[Ingress]", "no NetworkPolicy denies the pods of openchrome-bench all traffic"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !bytes.Contains(data, []byte(test.old)) {
				t.Fatalf("the manifest has no %q", test.old)
			}
			err := check(bytes.ReplaceAll(data, []byte(test.old), []byte(test.new)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// check says what is wrong in a file of manifests.
func check(file []byte) error {
	var faults []error
	var jobs []batch.Job
	var policies []network.NetworkPolicy
	for doc := range bytes.SplitSeq(file, []byte("\n---\n")) {
		var kind meta.TypeMeta
		if err := yaml.Unmarshal(doc, &kind); err != nil {
			return err
		}
		switch kind.APIVersion + " " + kind.Kind {
		case "v1 PersistentVolumeClaim":
			faults = append(faults, decode(doc, new(core.PersistentVolumeClaim)))
		case "batch/v1 Job":
			var job batch.Job
			faults = append(faults, decode(doc, &job), checkJob(job.Spec), checkPod(job.Spec.Template.Spec))
			jobs = append(jobs, job)
		case "networking.k8s.io/v1 NetworkPolicy":
			var policy network.NetworkPolicy
			faults = append(faults, decode(doc, &policy))
			policies = append(policies, policy)
		default:
			faults = append(faults, fmt.Errorf("%s %s is not known here", kind.APIVersion, kind.Kind))
		}
	}
	for _, job := range jobs {
		if !slices.ContainsFunc(policies, func(p network.NetworkPolicy) bool { return denies(p.Spec, job.Spec.Template.Labels) }) {
			faults = append(faults, fmt.Errorf("no NetworkPolicy denies the pods of %s all traffic", job.Name))
		}
	}
	return errors.Join(faults...)
}

// denies reports whether the policy forbids pods with these labels all traffic.
func denies(p network.NetworkPolicySpec, pod labels.Set) bool {
	selects, err := meta.LabelSelectorAsSelector(&p.PodSelector)
	return err == nil && selects.Matches(pod) && len(p.Ingress) == 0 && len(p.Egress) == 0 &&
		slices.Contains(p.PolicyTypes, network.PolicyTypeIngress) && slices.Contains(p.PolicyTypes, network.PolicyTypeEgress)
}

// byDigest matches an image that nobody can replace, as they can replace a tag.
var byDigest = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)

// checkPod checks what a pod runs, and how much it may store on its node.
func checkPod(pod core.PodSpec) error {
	var faults []error
	for _, c := range pod.Containers {
		if !byDigest.MatchString(c.Image) {
			faults = append(faults, fmt.Errorf("%s is not named by its digest", c.Image))
		}
		if c.Resources.Limits.StorageEphemeral().IsZero() {
			faults = append(faults, fmt.Errorf("%s has no limit on ephemeral-storage", c.Name))
		}
	}
	for _, v := range pod.Volumes {
		if v.EmptyDir != nil && (v.EmptyDir.SizeLimit == nil || v.EmptyDir.SizeLimit.IsZero()) {
			faults = append(faults, fmt.Errorf("the emptyDir %s has no sizeLimit", v.Name))
		}
	}
	return errors.Join(faults...)
}

// decode reads a manifest as the API server does in strict mode.
func decode(doc []byte, into any) error {
	data, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return err
	}
	strict, err := json.UnmarshalStrict(data, into)
	return errors.Join(append(strict, err)...)
}

// checkJob checks what types cannot: which failures of a pod are retried.
func checkJob(job batch.JobSpec) error {
	pod := job.Template.Spec
	if pod.RestartPolicy != core.RestartPolicyNever {
		return fmt.Errorf("restartPolicy is %s, want Never", pod.RestartPolicy)
	}
	if job.CompletionMode == nil || *job.CompletionMode != batch.IndexedCompletion {
		return nil // the merge
	}
	if job.PodFailurePolicy == nil || job.Completions == nil || job.BackoffLimitPerIndex == nil || len(pod.Containers) != 1 {
		return errors.New("want completions, backoffLimitPerIndex, podFailurePolicy and one container")
	}
	completions := strconv.Itoa(int(*job.Completions))
	for _, v := range pod.Containers[0].Env {
		if v.Name == "OPENCHROME_BENCH_SHARDS" && v.Value != completions {
			return fmt.Errorf("%s is %q, want the %s completions", v.Name, v.Value, completions)
		}
	}
	var faults []error
	expect := func(what string, got, want batch.PodFailurePolicyAction) {
		if got != want {
			faults = append(faults, fmt.Errorf("%s: %s, want %s", what, got, want))
		}
	}
	for code, want := range map[int32]batch.PodFailurePolicyAction{
		1:   batch.PodFailurePolicyActionCount,
		2:   batch.PodFailurePolicyActionCount, // a crash of Go
		3:   batch.PodFailurePolicyActionFailIndex,
		4:   batch.PodFailurePolicyActionFailIndex,
		8:   batch.PodFailurePolicyActionCount,
		64:  batch.PodFailurePolicyActionFailJob,
		130: batch.PodFailurePolicyActionCount,
		137: batch.PodFailurePolicyActionCount,
	} {
		expect(fmt.Sprintf("exit code %d", code), action(job.PodFailurePolicy, code, false), want)
	}
	expect("an eviction", action(job.PodFailurePolicy, 130, true), batch.PodFailurePolicyActionIgnore)
	return errors.Join(faults...)
}

// action is what Kubernetes does after a pod has failed: the first rule that matches says it.
func action(policy *batch.PodFailurePolicy, code int32, evicted bool) batch.PodFailurePolicyAction {
	for _, rule := range policy.Rules {
		for _, c := range rule.OnPodConditions {
			if evicted && c.Type == core.DisruptionTarget && c.Status == core.ConditionTrue {
				return rule.Action
			}
		}
		if on := rule.OnExitCodes; on != nil {
			in := false
			for _, v := range on.Values {
				in = in || v == code
			}
			if in == (on.Operator == batch.PodFailurePolicyOnExitCodesOpIn) {
				return rule.Action
			}
		}
	}
	return batch.PodFailurePolicyActionCount
}
