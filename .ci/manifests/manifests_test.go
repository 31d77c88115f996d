// Package manifests checks the Kubernetes manifests with the types of the API.
package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../containers/kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d manifests, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := check(data); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
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
		{"an eviction counts", "action: Ignore", "action: Count", "an eviction: Count, want Ignore"},
		{"no retry by index", "backoffLimitPerIndex", "backoffLimit", "want completions, backoffLimitPerIndex"},
		{"pods that restart", "restartPolicy: Never", "restartPolicy: OnFailure", "restartPolicy is OnFailure, want Never"},
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
			faults = append(faults, decode(doc, &job), checkJob(job.Spec))
		default:
			faults = append(faults, fmt.Errorf("%s %s is not known here", kind.APIVersion, kind.Kind))
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
		2:   batch.PodFailurePolicyActionFailJob,
		3:   batch.PodFailurePolicyActionFailIndex,
		4:   batch.PodFailurePolicyActionFailIndex,
		8:   batch.PodFailurePolicyActionCount,
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
