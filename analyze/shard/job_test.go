package shard_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"etrace/analyze/shard"
)

// names are those of plans that a shell could misunderstand.
var names = []string{"plan.json", "my plan.json", "it's $HOME.json", "-o.json", "a/b;c/é.json", "*"}

func write(t *testing.T, job string, p *shard.Plan, file string) string {
	t.Helper()
	j, err := shard.Jobs().Lookup(job)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := j.Write(&b, p, file); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The function returns the arguments with which a script calls a stand-in for etrace, in a folder of its own, one per
// line.
func said(t *testing.T, dir, script string, env ...string) string {
	t.Helper()
	for name, text := range map[string]string{
		"etrace":   "#!/bin/sh\nprintf '%s\\n' call \"$@\" >>\"$SAID\"\necho '{}'\n",
		"parallel": "#!/bin/sh\nwhile read i; do sh -c \"$(printf %s \"$3\" | sed \"s/{}/$i/g\")\" || exit; done\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, "said")
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "SAID="+log, "PATH="+dir+":"+os.Getenv("PATH"))...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, script)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func words(calls ...[]string) string {
	var b strings.Builder
	for _, call := range calls {
		b.WriteString(strings.Join(append([]string{"call"}, call...), "\n") + "\n")
	}
	return b.String()
}

// named is what a script may call a file.
func named(file string) string {
	if strings.HasPrefix(file, "-") {
		return "./" + file
	}
	return file
}

// folder has a place for what a script writes below names with slashes.
func folder(t *testing.T) string {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a/b;c"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestParallelJob: the line checks each shard of the plan, whatever that is called.
func TestParallelJob(t *testing.T) {
	for _, file := range names {
		plan, base := named(file), named(strings.TrimSuffix(file, ".json"))
		p := planOf(t, 2, 1, 1)
		got := said(t, folder(t), write(t, "parallel", p, file))
		want := words(
			[]string{"check", "--plan", plan, "--shard", "0"},
			[]string{"check", "--plan", plan, "--shard", "1"},
			[]string{"merge", "--plan", plan, base + ".found"},
		)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: runs (-want +got)\n%s", file, diff)
		}
		p.Mode = shard.Events
		got = said(t, folder(t), write(t, "parallel", p, file))
		want = words(
			[]string{"slice", "--plan", plan, "-o", base + ".slices"},
			[]string{"check", "--plan", plan, "--shard", "0", base + ".slices/0.jsonl"},
			[]string{"check", "--plan", plan, "--shard", "1", base + ".slices/1.jsonl"},
			[]string{"merge", "--plan", plan, base + ".found"})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: events (-want +got)\n%s", file, diff)
		}
	}
}

// TestSlurmJob: each task of the array checks its shard, and there is a task for each shard.
func TestSlurmJob(t *testing.T) {
	for _, file := range names {
		p := planOf(t, 12, 1, 1)
		p.Mode = shard.Events
		script, dir := write(t, "slurm", p, file), folder(t)
		if !strings.Contains(script, "\n#SBATCH --array=0-11\n") {
			t.Errorf("%s: no array of 12 tasks in\n%s", file, script)
		}
		plan, base := named(file), named(strings.TrimSuffix(file, ".json"))
		got := said(t, dir, script, "SLURM_ARRAY_TASK_ID=7")
		if diff := cmp.Diff(words([]string{"check", "--plan", plan, "--shard", "7", base + ".slices/7.jsonl"}), got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", file, diff)
		}
		if got, err := os.ReadFile(filepath.Join(dir, base+".found/7.json")); err != nil || string(got) != "{}\n" {
			t.Errorf("%s: found %q, %v", file, got, err)
		}
	}
}

// TestKubernetesJob: the YAML is an Indexed Job with a pod for each shard, which checks this shard.
func TestKubernetesJob(t *testing.T) {
	for _, file := range names {
		p := planOf(t, 100, 1, 1)
		p.Mode = shard.Events
		var job struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   struct{ Name string }
			Spec       struct {
				CompletionMode           string `yaml:"completionMode"`
				Completions, Parallelism int
				Template                 struct {
					Spec struct {
						RestartPolicy string `yaml:"restartPolicy"`
						Containers    []struct{ Command, Args []string }
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(write(t, "kubernetes", p, file)), &job); err != nil {
			t.Fatal(err)
		}
		pod := job.Spec.Template.Spec
		got := []any{
			job.APIVersion, job.Kind, job.Spec.CompletionMode, job.Spec.Completions, job.Spec.Parallelism,
			pod.RestartPolicy, len(pod.Containers), pod.Containers[0].Command,
		}
		want := []any{"batch/v1", "Job", "Indexed", 100, 64, "Never", 1, []string{"sh", "-euc"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: (-want +got)\n%s", file, diff)
		}
		plan, base := named(file), named(strings.TrimSuffix(file, ".json"))
		asked := said(t, folder(t), pod.Containers[0].Args[0], "JOB_COMPLETION_INDEX=99")
		if diff := cmp.Diff(words([]string{"check", "--plan", plan, "--shard", "99", base + ".slices/99.jsonl"}), asked); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", file, diff)
		}
	}
}

// TestJobNames: a plan that no line can name is refused.
func TestJobNames(t *testing.T) {
	for _, j := range shard.Jobs().All() {
		if err := j.Write(&bytes.Buffer{}, planOf(t, 1, 1), "a\nb"); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, expected an error in a line", j.Name, err)
		}
	}
}
