package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"etrace/fixtures/size"
	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// killed are commands that write, each with the files that it may write. The
// folder holds what prepare puts there.
var killed = []struct {
	args  string
	files []string
}{
	{"record --nodes 60 --start 1 --runs 4 -o new.db", []string{"new.db"}},
	{"record --nodes 60 --start 1 --runs 4 -o trace.db", []string{"trace.db"}},
	{"record --nodes 20 --start 1 -o new.jsonl", []string{"new.jsonl"}},
	{
		"record bully-buffalo --ids 1-4 --down 4 --start 2 --hunt single-leader --hunt-save found.yaml -o trace.db",
		[]string{"found.yaml", "trace.db"},
	},
	{"record bully --ids 1-3 --start 1 --all-orders -o trace.db", []string{"trace.db"}},
	{"import run.jsonl -o trace.db", []string{"trace.db"}},
	{"import run.jsonl -o new.db", []string{"new.db"}},
	{"export trace.db --run all -o new.jsonl", []string{"new.jsonl"}},
	{"render trace.db -o old.svg", []string{"old.svg"}},
	{"render trace.db --run all --format html", []string{"trace.1.sequence.html", "trace.2.sequence.html"}},
	{"diff trace.db#1 trace.db#2 --render old.svg", []string{"old.svg"}},
	{"suite suite.yaml --save trace.db -o report.md", []string{"trace.db", "report.md"}},
	{"replay trace.db --run 1 --what-if timeout=9@1", []string{"trace.db"}},
	{"check trace.db --save", []string{"trace.db"}},
	{"plan trace.db --shards 3 -o plan.json", []string{"plan.json"}},
	{"slice --plan one.json -o slices", []string{"slices/0.jsonl", "slices/1.jsonl", "slices/2.jsonl"}},
}

// endings are the ways to be killed.
var endings = []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT}

// prepare makes the folder in which the commands are killed.
func prepare(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, args := range []string{
		"record --nodes 20 --start 2 -o trace.db", "record --nodes 20 --start 3 -o trace.db",
		"export trace.db -o run.jsonl", "render trace.db --run 1 -o old.svg",
		"plan trace.db --run 1 --shards 3 -o one.json",
	} {
		if out, err := etraceIn(folder, args).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
	}
	for name, text := range map[string]string{
		"notes.txt":  "What I found out in a long night.\n",
		"suite.yaml": "suite: One\ncases:\n  - name: one\n    scenario: {algorithm: bully, nodes: 9, start: 1@0}\n    expect: {end: quiescent}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func etraceIn(folder, args string) *exec.Cmd {
	cmd := exec.Command("etrace", strings.Fields(args)...)
	cmd.Dir = folder
	return cmd
}

// TestKilled kills every third writing command once at a random moment, in make long each 200 times, and counts what
// was lost, changed or left behind.
func TestKilled(t *testing.T) {
	size.SkipQuick(t)
	seed, times, step := uint64(1), 1, 3
	if size.Now() == size.Long {
		seed, times, step = uint64(time.Now().UnixNano()), 200, 1
	}
	t.Logf("seed %d", seed)
	before := prepare(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for i := 0; i < len(killed); i += step {
		tt := killed[i]
		after, duration := undisturbed(t, before, tt.args)
		trial := &killTrial{args: tt.args, files: tt.files, before: contents(t, before), after: contents(t, after), old: before}
		for k := range times {
			trial.moment = time.Duration(random.Int64N(int64(duration + duration/4)))
			trial.signal = endings[(i/step+k)%len(endings)]
			trial.run(t)
		}
		if tt.files == nil {
			continue // the names are those of the commands
		}
		for name := range trial.after {
			if _, ok := trial.before[name]; !ok && !slices.Contains(tt.files, name) {
				t.Errorf("%s writes %s, expected %q only", tt.args, name, tt.files)
			}
		}
	}
}

// undisturbed runs the command in a copy of the folder and returns what it made
// of it, and how long that took.
func undisturbed(t *testing.T, before, args string) (after string, took time.Duration) {
	t.Helper()
	after = t.TempDir()
	if err := os.CopyFS(after, os.DirFS(before)); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	out, err := etraceIn(after, args).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() == exitFail) {
		t.Fatalf("%s: %v\n%s", args, err, out)
	}
	return after, time.Since(start)
}

// contents are the files of a folder and of those in it, by their paths.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	contents := map[string]string{}
	files := os.DirFS(folder)
	err := fs.WalkDir(files, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := fs.ReadFile(files, path)
		contents[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

// killTrial is a command that is killed at a moment.
type killTrial struct {
	args          string
	files         []string
	before, after map[string]string
	old           string // the folder of before
	moment        time.Duration
	signal        syscall.Signal
	settle        func() // waits for the programs that the command has started; nil for none
}

func (k *killTrial) run(t *testing.T) {
	t.Helper()
	folder, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.CopyFS(folder, os.DirFS(k.old)); err != nil {
		t.Fatal(err)
	}
	cmd := etraceIn(folder, k.args)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(k.moment, func() { _ = cmd.Process.Signal(k.signal) })
	err = cmd.Wait()
	timer.Stop()
	if k.settle != nil {
		k.settle()
	}
	complete := cmd.ProcessState.ExitCode() >= 0 && cmd.ProcessState.ExitCode() != exitFail
	for _, fault := range k.faults(folder, complete) {
		t.Errorf("%s, %v after %v (%v): %s", k.args, k.signal, k.moment, err, fault)
	}
}

// faults lists the defects of a folder after a killed command; complete is true if the command reported
// success.
func (k *killTrial) faults(folder string, complete bool) (found []string) {
	if k.signal != syscall.SIGKILL { // who opens a trace next removes its journal
		journals, _ := filepath.Glob(filepath.Join(folder, "*-journal"))
		for _, journal := range journals {
			found = append(found, "left behind: "+filepath.Base(journal))
		}
	}
	for name, was := range k.before {
		content, err := os.ReadFile(filepath.Join(folder, name))
		switch {
		case err != nil:
			found = append(found, "lost: "+err.Error())
		case strings.HasSuffix(name, ".db"):
		case string(content) == was && (!complete || k.after[name] == was):
		case string(content) != k.after[name]:
			found = append(found, "changed: "+name)
		}
	}
	for name, text := range k.after {
		inNew := filepath.Dir(name) != "." // a new folder is there with all its files, or not at all
		if strings.HasSuffix(name, ".db") || strings.HasSuffix(name, ".jsonl") && k.before[name] == "" && !inNew {
			found = append(found, k.traceFaults(folder, name, complete && slices.Contains(k.files, name))...)
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && !complete && !(inNew && exists(filepath.Join(folder, filepath.Dir(name)))):
		case err != nil:
			found = append(found, "lost: "+err.Error())
		case string(content) != text && (complete || string(content) != k.before[name]):
			found = append(found, "changed: "+name)
		}
	}
	return append(found, k.leftBehind(folder)...)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// traceFaults compares the runs of a trace with what they were and should be.
func (k *killTrial) traceFaults(folder, name string, complete bool) (found []string) {
	old, err := runsOf(filepath.Join(k.old, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{"damaged before: " + err.Error()}
	}
	path := filepath.Join(folder, name)
	numbers, err := runsOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !complete:
		return nil
	case err != nil:
		return []string{"damaged: " + err.Error()}
	case len(numbers) < len(old) || !slices.Equal(numbers[:len(old)], old):
		found = append(found, "changed: earlier runs of "+name)
	case complete && len(numbers) == len(old) && !strings.HasPrefix(k.args, "check"):
		found = append(found, "lost: the new runs of "+name)
	}
	return found
}

// runsOf returns the runs of a trace, each as JSON Lines.
func runsOf(path string) (runs []string, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	trace, err := tracefile.Open(path, tracefile.Options{})
	if err != nil {
		return nil, err
	}
	defer trace.Close()
	for rec, err := range trace.Recordings(tracefile.Runs{All: true}) {
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		run := *rec.Run()
		if err := tracefmt.Copy(tracefmt.NewEncoder(&b), rec, &run); err != nil {
			return nil, err
		}
		runs = append(runs, b.String())
	}
	return runs, nil
}

// leftBehind lists what is there after the next command that was not, and is
// nothing that the command makes.
func (k *killTrial) leftBehind(folder string) (found []string) {
	next := filepath.Join(folder, "next.db")
	if status := Run([]string{"record", "-q", "-o", next}, strings.NewReader(""), io.Discard, io.Discard); status != exitOK {
		found = append(found, fmt.Sprintf("the next command: exit status %d", status))
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return append(found, err.Error())
	}
	for _, e := range entries {
		known := func(path string) bool { return path == e.Name() || strings.HasPrefix(path, e.Name()+"/") }
		if e.Name() != "next.db" && !slices.ContainsFunc(slices.Collect(maps.Keys(k.before)), known) &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(k.after)), known) {
			found = append(found, "left behind: "+e.Name())
		}
	}
	return found
}
