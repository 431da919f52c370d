package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"etrace/fixtures/size"
)

// waiting are commands that wait for a pipe which somebody opened and does not
// write to, every command with each of its inputs.
var waiting = []string{
	"check PIPE", "check --spec PIPE", "stats PIPE", "render PIPE", "diff PIPE PIPE", "export PIPE",
	"replay PIPE", "replay PIPE --at 1", "replay PIPE --steps 1..2", "replay PIPE --find send", "replay PIPE --watch elected",
	"replay PIPE --verify", "replay PIPE --as bully", "replay PIPE --what-if timeout=5@4.5",
	"import PIPE -o new.db", "suite PIPE", "record --scenario PIPE -o new.db",
	"check -", "stats -", "render -", "replay -", "diff - PIPE", "export -", "import - -o new.db",
}

// working are commands that work for longer than anybody waits.
var working = []string{
	"record chang-roberts --ids 0-5 --down 5 --start 2 --crash 4@5 --delay uniform(0.5,1.5) --max-events 1000000000 -o new.db",
	"record bully --nodes 3000 --start all -o new.db --runs 1000",
	"record bully --ids 1-6 --start all --all-orders --max-runs 1000000000 -o new.db",
	"record chang-roberts --nodes 8 --start all --hunt agreement --hunt-faults slow --hunt-runs 1000000000 -o new.db",
}

// interruptedLine matches the error line of an interrupted command.
var interruptedLine = regexp.MustCompile(`^etrace: (\S*: )?interrupted.*\n$`)

// reading is a stdin that calls begins when it is read.
type reading struct {
	io.Reader
	begins func()
}

func (r *reading) Read(b []byte) (int, error) {
	r.begins()
	return r.Reader.Read(b)
}

// TestInterrupted: whatever a command waits for, the end of the context ends it in words, with status 2, and nothing
// is left behind.
func TestInterrupted(t *testing.T) {
	for _, args := range waiting {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			folder, path := t.TempDir(), pipe(t)
			began := make(chan struct{})
			begins := sync.OnceFunc(func() { close(began) })
			stdin, writer := io.Pipe()
			defer writer.Close() // so that a read that was abandoned ends
			if strings.Contains(args, "PIPE") {
				go func() {
					writer, err := os.OpenFile(path, os.O_WRONLY, 0) // once the command has opened it
					begins()
					if err == nil {
						<-t.Context().Done()
						writer.Close()
					}
				}()
				t.Cleanup(func() { // where the command has not
					if reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
						reader.Close()
					}
				})
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var out, errOut bytes.Buffer
			ended := make(chan int, 1)
			line := strings.NewReplacer("PIPE", path, "new.db", filepath.Join(folder, "new.db")).Replace(args)
			go func() { ended <- RunContext(ctx, strings.Fields(line), &reading{stdin, begins}, &out, &errOut) }()
			select {
			case status := <-ended:
				t.Fatalf("exit status %d before it was interrupted: %s", status, &errOut)
			case <-began:
			}
			cancel()
			if status := <-ended; status != exitFail || out.Len() > 0 || !interruptedLine.MatchString(errOut.String()) {
				t.Errorf("exit status %d, expected %d, and one line: interrupted; stdout %q, stderr %q", status, exitFail, &out, &errOut)
			}
			if left := leftIn(t, folder); left != "" {
				t.Errorf("it leaves %s behind", left)
			}
		})
	}
}

// command starts etrace in a folder of its own.
func command(t *testing.T, args, stdin string) (cmd *exec.Cmd, errOut *bytes.Buffer, ended chan error) {
	t.Helper()
	cmd = exec.Command("etrace", strings.Fields(args)...)
	cmd.Dir = t.TempDir()
	errOut = &bytes.Buffer{}
	cmd.Stderr = errOut
	if stdin != "" {
		pipe, err := os.OpenFile(stdin, os.O_RDWR, 0) // which waits for no writer
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { pipe.Close() })
		cmd.Stdin = pipe
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return cmd, errOut, ended
}

// pipe makes a pipe.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// endsSoon returns the error of a process that must end.
func endsSoon(t *testing.T, ended chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(soon):
		t.Fatalf("still there %v after the signal", soon)
		return nil
	}
}

// soon is how long a test waits for a command to end: a busy machine takes its time.
const soon = time.Minute

// interrupt starts a command and signals it once it has begun: before, it dies
// of the first signal, and is given more time. Between two signals is a time in
// which it may end by itself, but need not.
func interrupt(t *testing.T, args string, signals ...syscall.Signal) (state syscall.WaitStatus, errOut, left string) {
	t.Helper()
	for wait := 100 * time.Millisecond; ; wait *= 3 {
		stdin := pipe(t)
		cmd, errOut, ended := command(t, strings.ReplaceAll(args, "PIPE", stdin), stdin)
		if slices.Contains(working, args) {
			awaitWork(cmd.Process)
		} else {
			time.Sleep(wait) // a command that waits gives no sign of it
		}
		sent := 0
		var err error
		for again := true; again && sent < len(signals); sent++ {
			_ = cmd.Process.Signal(signals[sent])
			select {
			case err = <-ended:
				again = false
			case <-time.After(grace / 4):
			}
		}
		if err == nil {
			err = endsSoon(t, ended)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatalf("%v, expected an exit status", err)
		}
		state = exit.Sys().(syscall.WaitStatus)
		if !state.Signaled() || sent > 1 || wait > 10*time.Second {
			return state, errOut.String(), leftIn(t, cmd.Dir)
		}
	}
}

// leftIn lists the files in a folder.
func leftIn(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

var endingSignals = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// hearAll has the processes of later tests hear all signals of [endingSignals]. They would inherit that one is ignored, as it
// is in the background of a shell or under nohup; a signal that this process handles is back at its default in them.
func hearAll() {
	for _, s := range endingSignals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// TestFirstSignalIsHeard: the first signal ends a process in words, with status 2, wherever it waits or works.
func TestFirstSignalIsHeard(t *testing.T) {
	hearAll()
	some := []string{"check PIPE", "suite PIPE", "import - -o new.db"}
	for i, args := range size.Pick(some[:1], slices.Concat(some, working), slices.Concat(waiting, working)) {
		s := endingSignals[i%len(endingSignals)]
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			state, got, left := interrupt(t, args, s)
			if left != "" && left != "new.db" || left != "" && !strings.HasPrefix(args, "record") {
				t.Errorf("it leaves %s behind", left)
			}
			if state.ExitStatus() != exitFail {
				t.Errorf("exit status %d after %v, expected %d", state.ExitStatus(), s, exitFail)
			}
			if !interruptedLine.MatchString(got) {
				t.Errorf("stderr %q, expected one line: interrupted", got)
			}
		})
	}
}

// TestSecondSignalEndsAtOnce: the second signal ends the process at once, with the default action. On a busy
// machine it may be too late: the process may already have ended after the first signal, with an error line.
// So the test makes several attempts.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	size.SkipQuick(t)
	hearAll()
	for i, args := range []string{"check PIPE", "suite PIPE", "render PIPE"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			first, second := endingSignals[i], endingSignals[(i+1)%len(endingSignals)]
			for range 5 {
				state, errOut, _ := interrupt(t, args, first, second)
				if state.Signal() == second {
					return
				}
				t.Logf("exit status %d, stderr %q", state.ExitStatus(), errOut)
			}
			t.Errorf("the process never dies of %v", second)
		})
	}
}

// TestHangUpUnderNohup: a hang-up that nohup had ignored stays ignored.
func TestHangUpUnderNohup(t *testing.T) {
	size.SkipQuick(t)
	trace := printed(t, "record", "-q", "--nodes", "60", "--start", "1", "-o", "-")
	cmd := exec.Command("sh", "-c", "trap '' HUP; exec etrace stats -")
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	const kept = 1 << 20 // more than any system keeps of what a process has not read
	if len(trace) < kept {
		t.Fatalf("a trace of %d bytes, expected %d", len(trace), kept)
	}
	if _, err := io.WriteString(stdin, trace); err != nil { // it reads
		t.Fatal(err)
	}
	for range 10 {
		_ = cmd.Process.Signal(syscall.SIGHUP)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended: %v", err)
	}
}
