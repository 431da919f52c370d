package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// following is an etrace that reads what the test writes.
type followed struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner // of stderr
	out   strings.Builder
}

func startFollowing(t *testing.T, folder string, args ...string) *followed {
	t.Helper()
	f := &followed{t: t, cmd: exec.Command("etrace", args...)}
	f.cmd.Dir = folder
	f.cmd.Stdout = &f.out
	stdin, err := f.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := f.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	f.stdin, f.lines = stdin, bufio.NewScanner(stderr)
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.cmd.Process.Kill(); _ = f.cmd.Wait() })
	return f
}

func (f *followed) write(text string) {
	f.t.Helper()
	if _, err := io.WriteString(f.stdin, text); err != nil {
		f.t.Fatal(err)
	}
}

// says waits for a line of stderr that contains the text.
func (f *followed) says(text string) {
	f.t.Helper()
	var lines []string
	for f.lines.Scan() {
		if strings.Contains(f.lines.Text(), text) {
			return
		}
		lines = append(lines, f.lines.Text())
	}
	f.t.Fatalf("stderr ends without %q:\n%s", text, strings.Join(lines, "\n"))
}

// ends waits for the end, and returns the exit status.
func (f *followed) ends() int {
	for f.lines.Scan() { // Wait closes the pipe
		continue
	}
	_ = f.cmd.Wait()
	return f.cmd.ProcessState.ExitCode()
}

// leader is a line of a log by followedMap.
func leader(node string, term int) string { return fmt.Sprintf("%s leader in %d\n", node, term) }

const followedMap = `match: '^(?<node>\S+) leader in (?<term>\d+)$'
process: '${node}'
run: {problem: raft}
events:
  - state: {role: leader, term: '${term}'}
`

// lateNamesMap reads a log in which an alias of a process comes late.
const lateNamesMap = `match: '^(?:member )?(?<node>\S+)(?: leader in (?<term>\d+)| is (?<alias>\S+))?$'
process: '${node}'
run: {problem: raft}
alias: '${alias}'
events:
  - when: {term: /./}
    state: {role: leader, term: '${term}'}
`

// lockMap reads a log whose lines each process numbers.
const lockMap = `match: '^#(?<seq>\d+) (?<node>\w+) (?<does>\w+)$'
process: '${node}'
sequence: '${seq}'
run: {problem: mutex, complete: 'crash=all,halt=all,recover=all'}
events:
  - {when: {does: enter}, note: enter}
  - {when: {does: exit}, note: exit}
`

// TestFollow: the command prints a violation while the stream continues; the exit status covers the whole
// stream.
func TestFollow(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "map.yaml"), []byte(followedMap), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "late.yaml"), []byte(lateNamesMap), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "locks.yaml"), []byte(lockMap), 0o666); err != nil {
		t.Fatal(err)
	}
	const said = "unique-leader-per-term violated: "
	begin := func(args ...string) *followed {
		f := startFollowing(t, folder, append([]string{"check", "-", "--follow", "--map", "map.yaml"}, args...)...)
		f.write(leader("a", 1) + leader("b", 2))
		f.write(leader("c", 2))
		return f
	}
	t.Run("to its end", func(t *testing.T) {
		f := begin()
		f.says(said)
		f.write(leader("a", 3))
		f.stdin.Close()
		if status := f.ends(); status != exitBad || !strings.Contains(f.out.String(), "unique-leader-per-term  violated") ||
			!strings.Contains(f.out.String(), "4 events") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("to Ctrl-C", func(t *testing.T) {
		f := begin()
		f.says(said)
		if err := f.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if status := f.ends(); status != exitBad || !strings.Contains(f.out.String(), "3 events") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("to the first violation", func(t *testing.T) {
		f := begin("--fail-fast")
		if status := f.ends(); status != exitBad || !strings.Contains(f.out.String(), "unique-leader-per-term  violated") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("to the first violation that is certain", func(t *testing.T) {
		f := startFollowing(t, folder, "check", "-", "--follow", "--fail-fast", "--map", "locks.yaml")
		f.write("#1 a enter\n" + "#1 b enter\n" + "#3 a exit\n") // the numbers of a show that a line is missing
		f.says("process b enters at seq 2 while process a is inside since seq 1")
		f.write("#2 b exit\n" + "#4 a enter\n")
		f.write("#3 b enter\n" + "#5 a exit\n")
		if status := f.ends(); status != exitBad || !strings.Contains(f.out.String(), "mutual-exclusion  violated") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("in JSON Lines to the first violation", func(t *testing.T) {
		f := startFollowing(t, folder, "check", "-", "--follow", "--fail-fast")
		events, _, _ := strings.Cut(jsonTwoLeaders, `{"end"`)
		f.write(events)
		if status := f.ends(); status != exitBad || !strings.Contains(f.out.String(), "unique-leader-per-term  violated") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("in JSON Lines", func(t *testing.T) {
		f := startFollowing(t, folder, "check", "-", "--follow", "--json")
		header, events, _ := strings.Cut(jsonTwoLeaders, "\n")
		events, end, _ := strings.Cut(events, `{"end"`)
		f.write(header + "\n" + events)
		f.says(said)
		f.write(`{"end"` + end)
		f.stdin.Close()
		if status := f.ends(); status != exitBad || !strings.Contains(f.out.String(), `"verdict": "violated"`) {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("in JSON Lines to Ctrl-C", func(t *testing.T) {
		f := startFollowing(t, folder, "check", "-", "--follow")
		header, events, _ := strings.Cut(jsonTwoLeaders, "\n")
		events, _, _ = strings.Cut(events, `{"end"`)
		f.write(header + "\n" + events + `{"seq":9,"time":`) // which is the beginning of a line
		f.says(said)
		if err := f.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if status := f.ends(); status != exitBad || !strings.Contains(f.out.String(), "unique-leader-per-term  violated") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("a violation that later lines explain", func(t *testing.T) {
		f := startFollowing(t, folder, "check", "-", "--follow", "--map", "late.yaml", "--only", "unique-leader-per-term")
		f.write("member a\n" + leader("a", 1) + leader("10.0.0.1", 1))
		f.says(said)
		f.write("a is 10.0.0.1\n")
		f.stdin.Close()
		f.says("unique-leader-per-term was reported as violated and is ")
		if status := f.ends(); status == exitBad || strings.Contains(f.out.String(), "violated") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("a log without a mapping", func(t *testing.T) {
		f := startFollowing(t, folder, "check", "-", "--follow")
		f.write("nothing that is known\n")
		f.says("with --map lines are examined when they come")
		f.stdin.Close()
		if status := f.ends(); status != exitFail {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
	t.Run("import to Ctrl-C", func(t *testing.T) {
		f := startFollowing(t, folder, "import", "-", "--follow", "--map", "map.yaml")
		for term := range 20_000 { // more than a pipe holds, so that some of it is read when all is written
			f.write(leader("a", term+1))
		}
		if err := f.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if status := f.ends(); status != exitOK || !strings.Contains(f.out.String(), "1 process") {
			t.Errorf("exit status %d\n%s", status, f.out.String())
		}
	})
}
