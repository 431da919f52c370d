package graphviz

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"etrace/fixtures/size"
	"etrace/render/graphviz/standin"
)

const first = `digraph g { a [pos="10,10" label=" "] }`

func mustDraw(t *testing.T, when string) {
	t.Helper()
	if _, err := SVG(context.Background(), []byte(first)); err != nil {
		t.Errorf("%s: %v", when, err)
	}
}

// TestAfterATrap: WebAssembly that fails leaves the module in disorder, so the next drawing has another process.
func TestAfterATrap(t *testing.T) {
	deep := "digraph g {" + strings.Repeat("subgraph {", 50_000)
	if _, err := SVG(context.Background(), []byte(deep)); err == nil || !strings.Contains(err.Error(), "wasm error") {
		t.Fatalf("got %v, want an error of WebAssembly", err)
	}
	mustDraw(t, "after a trap")
}

// TestEndedBetweenDrawings: the system may end a process that waits, as it does when memory is short.
func TestEndedBetweenDrawings(t *testing.T) {
	mustDraw(t, "at first")
	drawer.kill()
	_, _ = drawer.cmd.Process.Wait()
	mustDraw(t, "after the process was ended")
}

// TestSignalsOfTheTerminal: the process is in a group of its own, since an interrupt may come before it ignores it.
func TestSignalsOfTheTerminal(t *testing.T) {
	if ownGroup() == nil {
		t.Skip("this system has no groups of processes")
	}
	mustDraw(t, "at first")
	if group, err := syscall.Getpgid(drawer.cmd.Process.Pid); err != nil || group == syscall.Getpgrp() {
		t.Errorf("the group is %d (%v), want another than %d", group, err, syscall.Getpgrp())
	}
}

// TestEndsInTheMiddle: when nobody asks any more, a drawing is not finished.
func TestEndsInTheMiddle(t *testing.T) {
	size.SkipQuick(t)
	p, err := startProcess(standin.Drawer)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.end(nil) }()
	if err := p.awaitReady(); err != nil {
		t.Fatal(err)
	}
	many := "digraph g {" + strings.Repeat("a [pos=\"1,1\"]\n b -> c [pos=\"1,1 2,2 3,3 4,4\"]\n", 30_000) + "}"
	if err := writeText(p.input, []byte(many)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	p.input.Close()
	if tail, err := io.ReadAll(p.out); len(tail) > 0 {
		t.Errorf("%d bytes were drawn (%v), want none", len(tail), err)
	}
}

// TestPrintedBeforeReady: inits of others may print what they like.
func TestPrintedBeforeReady(t *testing.T) {
	for name, c := range map[string]struct {
		printed string
		want    error
	}{
		"nothing":                    {"\n" + ready, nil},
		"lines":                      {"hello\nworld\n\n" + ready, nil},
		"no line":                    {"hello\n" + ready, nil},
		"a line as long as a buffer": {strings.Repeat("x", 4096) + "\n" + ready, nil},
		"a longer line":              {strings.Repeat("x", 4090) + "\n" + ready, nil},
		"never ready":                {strings.Repeat("x", 10_000), io.EOF},
	} {
		p := &process{out: bufio.NewReader(strings.NewReader(c.printed + "answer"))}
		if err := p.awaitReady(); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if tail, _ := io.ReadAll(p.out); c.want == nil && string(tail) != "answer" {
			t.Errorf("%s: %q is left", name, tail)
		}
	}
}

func TestReason(t *testing.T) {
	for printed, want := range map[string]string{
		"":                               "",
		"cannot listen\n":                "cannot listen",
		"warning\npanic: gone\n\nstack":  "panic: gone",
		"init a @1 ms\nfatal error: oom": "fatal error: oom",
	} {
		var b beginning
		_, _ = io.WriteString(&b, printed)
		_, _ = b.Write(make([]byte, 1<<20))
		if got := strings.TrimRight(b.reason(), "\x00"); got != want || b.kept.Len() > 64<<10 {
			t.Errorf("of %q: got %q, %d bytes kept, want %q", printed, got, b.kept.Len(), want)
		}
	}
}

// TestEndsALivingDrawer: a drawer whose answer is not understood is still alive, and is ended.
func TestEndsALivingDrawer(t *testing.T) {
	p := &process{cmd: exec.Command("cat")}
	if _, err := p.cmd.StdinPipe(); err != nil { // cat lives while its stdin is open
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := p.end(io.ErrUnexpectedEOF); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}
