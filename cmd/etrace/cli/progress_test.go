package cli

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
)

// TestProgressLine: the line shows the progress and the remaining time, and is narrower than the terminal.
func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		total, done int64
		columns     int
		want        string
	}{
		{400, 100, 80, "executing  25% |██████████                              | (100/400) [2s:6s]"},
		{400, 400, 80, "executing 100% |████████████████████████████████████████| (400/400) [2s:0s]"},
		{400, 0, 80, "executing   0% |                                        | (0/400) [2s:0s]"},
		{400, 500, 80, "executing 100% |████████████████████████████████████████| (500/400) [2s:0s]"},
		{400, 100, 46, "executing  25% |██        | (100/400) [2s:6s]"},
		{400, 100, 20, "executing  25% || ("},
		{0, 100, 80, "| executing (100/-)"},
		{0, 100, 8, "| execu"},
	} {
		p := &progress{task: "executing", total: c.total}
		got := p.line(c.done, 2*time.Second, c.columns)
		if got != c.want {
			t.Errorf("%d of %d in %d columns: got\n%s\nwant\n%s", c.done, c.total, c.columns, got, c.want)
		}
		if n := utf8.RuneCountInString(got); n >= c.columns {
			t.Errorf("%d of %d takes %d of %d columns", c.done, c.total, n, c.columns)
		}
	}
}

// openTerminal opens a pseudo-terminal of 24 by 80 characters: what a user has, and what a program has.
func openTerminal(t *testing.T) (ours, theirs *os.File) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	if err := pty.Setsize(ours, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

// TestProgressVanishes: on a terminal progress appears once the work has taken a
// second, and leaves an empty line; to a file, in quiet, and after its end it
// writes nothing.
func TestProgressVanishes(t *testing.T) {
	ours, theirs := openTerminal(t)
	file, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	work := func(err *os.File, quiet bool, age time.Duration) {
		p := (&app{err: err, quiet: quiet}).progress("working", 10)
		p.begun = time.Now().Add(-age)
		p.update(5)
		p.done()
		p.drawn = time.Time{}
		p.update(6)
	}
	work(file, false, time.Minute)
	work(theirs, true, time.Minute)
	work(theirs, false, 0)
	if info, err := file.Stat(); err != nil || info.Size() > 0 {
		t.Errorf("%v, %v: a file gets progress", info, err)
	}
	work(theirs, false, time.Minute)
	if _, err := theirs.WriteString("end\n"); err != nil {
		t.Fatal(err)
	}
	var screen strings.Builder
	for buf := make([]byte, 4096); !strings.Contains(screen.String(), "end"); {
		n, err := ours.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		screen.Write(buf[:n])
	}
	// A terminal returns to the first column at \r: the line, its blanks, the end.
	parts := strings.Split(screen.String(), "\r")
	if len(parts) != 5 || !strings.HasPrefix(parts[1], "working  50% |████") || strings.TrimSpace(parts[2]) != "" ||
		utf8.RuneCountInString(parts[1]) != len(parts[2]) || parts[3] != "end" {
		t.Errorf("the terminal got %q", parts)
	}
}
