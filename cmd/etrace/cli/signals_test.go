package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
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

// command starts etrace in a folder of its own.
func command(t *testing.T, args, in string) (cmd *exec.Cmd, errOut *bytes.Buffer, ended chan error) {
	t.Helper()
	cmd = exec.Command("etrace", strings.Fields(args)...)
	cmd.Dir = t.TempDir()
	errOut = &bytes.Buffer{}
	cmd.Stderr = errOut
	if in != "" {
		pipe, err := os.OpenFile(in, os.O_RDWR, 0) // which waits for no writer
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

// endsWithin returns what the command comes to, which it must soon.
func endsWithin(t *testing.T, ended chan error, most time.Duration) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(most):
		t.Fatalf("still there %v after the signal", most)
		return nil
	}
}

// soon is how long a command may take to end; it is asked to within a second on
// a machine that has nothing else to do.
const soon = 5 * time.Second

// interrupt starts a command and signals it once it has begun: before, it dies
// of the first signal, and is given more time. Between two signals is a time in
// which it may end by itself, but need not.
func interrupt(t *testing.T, args string, signals ...syscall.Signal) (state syscall.WaitStatus, errOut, left string) {
	t.Helper()
	for wait := 100 * time.Millisecond; ; wait *= 3 {
		in := pipe(t)
		cmd, errOut, ended := command(t, strings.ReplaceAll(args, "PIPE", in), in)
		time.Sleep(wait)
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
			err = endsWithin(t, ended, soon)
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

var ending = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// The first signal ends every command in words, with status 2, wherever it
// waits or works.
func TestFirstSignalIsHeard(t *testing.T) {
	for i, args := range append(waiting, working...) {
		s := ending[i%len(ending)]
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			state, got, left := interrupt(t, args, s)
			if left != "" && left != "new.db" || left != "" && !strings.HasPrefix(args, "record") {
				t.Errorf("it leaves %s behind", left)
			}
			if state.ExitStatus() != exitFail {
				t.Errorf("exit status %d after %v, expected %d", state.ExitStatus(), s, exitFail)
			}
			if !regexp.MustCompile(`^etrace: (\S*: )?interrupted.*\n$`).MatchString(got) {
				t.Errorf("stderr %q, expected one line: interrupted", got)
			}
		})
	}
}

// The second signal ends the process at once, as if nobody had asked for it. On
// a busy machine it may be too late: after the first the process has ended in
// words already. So some attempts are made.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	for i, args := range []string{"check PIPE", "suite PIPE", "render PIPE"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			first, second := ending[i], ending[(i+1)%len(ending)]
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

// A hang-up that nohup had ignored stays ignored.
func TestHangUpUnderNohup(t *testing.T) {
	from, err := os.OpenFile(pipe(t), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	cmd := exec.Command("sh", "-c", "trap '' HUP; exec etrace stats -")
	cmd.Stdin = from
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	time.Sleep(200 * time.Millisecond) // until the shell ignores it
	for range 10 {
		time.Sleep(50 * time.Millisecond)
		_ = cmd.Process.Signal(syscall.SIGHUP)
	}
	select {
	case err := <-ended:
		t.Errorf("it ended: %v", err)
	default:
		_ = cmd.Process.Kill()
	}
}
