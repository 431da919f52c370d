package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"etrace/fixtures/size"
)

// stubborn is a node that starts others and outlives the end of its input: a wrapper, a program that answers,
// a silent program, and their children. One child has a session of its own.
const stubborn = `#!/bin/sh
trap '' TERM HUP INT
sleep 1000 &
setsid sleep 1000 &
python3 %s %s
sleep 1000
`

// TestKilledExec kills recordings of programs at random moments. None of the programs is left, nor half of a run, and
// what the trace had before is there.
func TestKilledExec(t *testing.T) {
	before, store := prepare(t), t.TempDir()
	node := fmt.Sprintf(stubborn, absolute(t, "..", "..", "..", "fixtures", "nodes", "kv.py"), store)
	if err := os.WriteFile(filepath.Join(before, "node.sh"), []byte(node), 0o777); err != nil {
		t.Fatal(err)
	}
	const mark = "ETRACE_TEST_KILLED"
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	t.Setenv(mark, fmt.Sprint(os.Getpid(), " ", random.Uint64()))
	// Of the long test one recording of five is killed at a random moment, the others end by themselves.
	signals := append([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, make([]syscall.Signal, size.Pick(2, 40, 997))...)
	for i, signal := range signals {
		trial := &killTrial{
			args: "record --exec ./node.sh --nodes 3 --workload lin-kv --until 0.3 -o trace.db", files: []string{"trace.db"},
			before: contents(t, before), after: contents(t, before), old: before,
			moment: time.Duration(random.Int64N(int64(700 * time.Millisecond))), signal: signal,
		}
		if signal == 0 {
			trial.signal = syscall.SIGKILL
		}
		const every = 5 // of the long test are killed
		if size.Pick(1, 1, every) == every && i%every != 0 {
			trial.moment = time.Hour
		}
		trial.settle = func() { waitForEnd(t, mark+"="+os.Getenv(mark), trial) }
		trial.run(t)
		if i%100 == 99 {
			t.Logf("%d recordings", i+1)
		}
	}
}

// waitForEnd waits until no process has a variable in its environment. A process that was about to be started when etrace was
// killed has etrace's files for a moment, and their locks.
func waitForEnd(t *testing.T, variable string, trial *killTrial) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		alive := marked(t, variable)
		if len(alive) == 0 {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%v after %v: alive a minute later: %q", trial.signal, trial.moment, alive)
		}
	}
}

// marked returns the command lines of the processes that have a variable in the environment with which they began.
func marked(t *testing.T, variable string) (commands []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatal("no processes: ", err)
	}
	for _, file := range files {
		if environ, err := os.ReadFile(file); err == nil && bytes.Contains(environ, []byte(variable+"\x00")) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			commands = append(commands, strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return commands
}
