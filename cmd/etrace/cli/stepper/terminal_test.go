package stepper

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"etrace/replay"
)

// terminal simulates the commands of a terminal that the framework uses (ECMA-48 and xterm's additions). The
// test fails on an unknown command.
type terminal struct {
	mu            sync.Mutex
	screen        *screen
	x, y          int
	top, bottom   int // the lines that scroll
	last          string
	pending       []byte // the beginning of a command or a character
	unknown       []string
	alternate     bool
	wrapsNext     bool
	width, height int
}

func newTerminal(width, height int) *terminal {
	return &terminal{screen: newScreen(width, height), width: width, height: height, bottom: height}
}

// Write takes in what a program prints.
func (t *terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	input := append(t.pending, b...)
	for len(input) > 0 {
		n := t.take(input)
		if n == 0 {
			break
		}
		input = input[n:]
	}
	t.pending = bytes.Clone(input)
	return len(b), nil
}

// take takes in one command or character, and returns its length, 0 if it is
// not complete.
func (t *terminal) take(b []byte) int {
	switch {
	case b[0] == '\r':
		t.move(0, t.y)
	case b[0] == '\n':
		t.lineFeed()
	case b[0] == '\b':
		t.move(t.x-1, t.y)
	case b[0] == '\t':
		t.move((t.x/8+1)*8, t.y)
	case b[0] == 0x1b:
		return t.escape(b)
	case b[0] < ' ':
	default:
		cluster, width := ansi.FirstGraphemeCluster(string(b), ansi.WcWidth)
		if !completeRune(b) {
			return 0
		}
		t.print(cluster, width)
		return len(cluster)
	}
	return 1
}

func completeRune(b []byte) bool {
	n := 1
	switch {
	case b[0] >= 0xf0:
		n = 4
	case b[0] >= 0xe0:
		n = 3
	case b[0] >= 0xc0:
		n = 2
	}
	return len(b) >= n
}

func (t *terminal) move(x, y int) {
	t.x, t.y, t.wrapsNext = min(max(x, 0), t.width-1), min(max(y, 0), t.height-1), false
}

func (t *terminal) lineFeed() {
	if t.y == t.bottom-1 {
		t.shift(t.top, 1)
		return
	}
	t.move(t.x, t.y+1)
}

// print draws a character at the cursor. Behind the last column the next one
// wraps.
func (t *terminal) print(cluster string, width int) {
	if t.wrapsNext {
		t.move(0, t.y)
		t.lineFeed()
	}
	t.screen.put(t.x, t.y, width, plain, cluster)
	t.last = cluster
	if t.x+width >= t.width {
		t.x, t.wrapsNext = t.width-1, true
		return
	}
	t.x += width
}

// shift moves the lines from y to the bottom of the region up, or down.
func (t *terminal) shift(y, lines int) {
	for ; lines > 0; lines-- {
		copy(t.screen.spots[y*t.width:], t.screen.spots[(y+1)*t.width:t.bottom*t.width])
		t.erase(0, t.width, t.bottom-1)
	}
	for ; lines < 0; lines++ {
		copy(t.screen.spots[(y+1)*t.width:t.bottom*t.width], t.screen.spots[y*t.width:])
		t.erase(0, t.width, y)
	}
}

func (t *terminal) erase(from, to, y int) {
	t.screen.fill(from, min(to, t.width), y, plain, " ")
}

func (t *terminal) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		end := bytes.IndexFunc(b[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return 0
		}
		t.command(b[2+end], string(b[2:2+end]))
		return end + 3
	case ']', 'P', '_', '^': // texts for the terminal itself
		end := bytes.IndexAny(b, "\a\x9c")
		if st := bytes.Index(b, []byte("\x1b\\")); st >= 0 && (end < 0 || st < end) {
			return st + 2
		}
		return end + 1
	case 'M':
		if t.y == t.top {
			t.shift(t.top, -1)
		} else {
			t.move(t.x, t.y-1)
		}
	}
	return 2
}

// commands are those of the form ESC [ parameters letter. n is the first
// parameter, or 1.
var commands = map[byte]func(t *terminal, n int, list []int){
	'A': func(t *terminal, n int, _ []int) { t.move(t.x, t.y-n) },
	'B': func(t *terminal, n int, _ []int) { t.move(t.x, t.y+n) },
	'C': func(t *terminal, n int, _ []int) { t.move(t.x+n, t.y) },
	'D': func(t *terminal, n int, _ []int) { t.move(t.x-n, t.y) },
	'E': func(t *terminal, n int, _ []int) { t.move(0, t.y+n) },
	'F': func(t *terminal, n int, _ []int) { t.move(0, t.y-n) },
	'G': func(t *terminal, n int, _ []int) { t.move(n-1, t.y) },
	'`': func(t *terminal, n int, _ []int) { t.move(n-1, t.y) },
	'd': func(t *terminal, n int, _ []int) { t.move(t.x, n-1) },
	'I': func(t *terminal, n int, _ []int) { t.move((t.x/8+n)*8, t.y) },
	'Z': func(t *terminal, n int, _ []int) { t.move(((t.x+7)/8-n)*8, t.y) },
	'H': func(t *terminal, n int, params []int) { t.move(append(params, 1, 1)[1]-1, n-1) },
	'X': func(t *terminal, n int, _ []int) { t.erase(t.x, t.x+n, t.y) },
	'b': func(t *terminal, n int, _ []int) {
		for range n {
			t.print(t.last, ansi.StringWidthWc(t.last))
		}
	},
	'S': func(t *terminal, n int, _ []int) { t.shift(t.top, n) },
	'T': func(t *terminal, n int, _ []int) { t.shift(t.top, -n) },
	'M': func(t *terminal, n int, _ []int) { t.shift(t.y, n) },
	'L': func(t *terminal, n int, _ []int) { t.shift(t.y, -n) },
	'r': func(t *terminal, n int, params []int) {
		t.top, t.bottom = n-1, append(params, t.height, t.height)[1]
		t.move(0, 0)
	},
	'P': func(t *terminal, n int, _ []int) {
		line := t.screen.spots[t.y*t.width : (t.y+1)*t.width]
		copy(line[t.x:], line[min(t.x+n, t.width):])
		t.erase(t.width-n, t.width, t.y)
	},
	'@': func(t *terminal, n int, _ []int) {
		line := t.screen.spots[t.y*t.width : (t.y+1)*t.width]
		copy(line[min(t.x+n, t.width):], line[t.x:])
		t.erase(t.x, t.x+n, t.y)
	},
	'K': func(t *terminal, _ int, params []int) { t.eraseLine(append(params, 0)[0]) },
	'J': func(t *terminal, _ int, params []int) {
		mode := append(params, 0)[0]
		t.eraseLine(mode)
		for y := range t.height {
			if mode == 2 || mode == 0 && y > t.y || mode == 1 && y < t.y {
				t.erase(0, t.width, y)
			}
		}
	},
	'm': func(*terminal, int, []int) {}, // looks
}

func (t *terminal) eraseLine(mode int) {
	switch mode {
	case 0:
		t.erase(t.x, t.width, t.y)
	case 1:
		t.erase(0, t.x+1, t.y)
	case 2:
		t.erase(0, t.width, t.y)
	}
}

func (t *terminal) command(letter byte, parameters string) {
	if parameters != "" && strings.ContainsAny(parameters[:1], "?>=<") ||
		strings.ContainsAny(parameters, " $!\"'") || strings.IndexByte("cnuhlqt", letter) >= 0 {
		if parameters == "?1049" {
			t.alternate = letter == 'h'
		}
		return // modes and questions
	}
	do, ok := commands[letter]
	if !ok {
		t.unknown = append(t.unknown, "ESC ["+parameters+string(letter))
		return
	}
	var params []int
	for _, p := range strings.Split(parameters, ";") {
		if n, err := strconv.Atoi(p); err == nil {
			params = append(params, n)
		}
	}
	n := 1
	if len(params) > 0 && params[0] > 0 {
		n = params[0]
	}
	do(t, n, params)
}

func (t *terminal) frame() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

// openTerminal opens a pseudo-terminal: what a user has, and what a program has.
func openTerminal(t *testing.T, width, height uint16) (ours, theirs *os.File) {
	t.Helper()
	ours, theirs, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	if err := pty.Setsize(ours, &pty.Winsize{Rows: height, Cols: width}); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

// TestTerminal drives the whole stepper on a pseudo-terminal, and compares the screen with that of the model
// after the same keys.
func TestTerminal(t *testing.T) {
	const width, height = 80, 24
	t.Setenv("TERM", "xterm-256color")
	ours, theirs := openTerminal(t, width, height)
	term := newTerminal(width, height)
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := ours.Read(b)
			_, _ = term.Write(b[:n])
			if err != nil {
				return
			}
		}
	}()
	rec := load(t, filepath.Join(records, "f16-bully-final-split.jsonl"))
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), rec, theirs, theirs, Options{Properties: examined(t), Color: true, At: &replay.Position{Seq: 3}})
	}()
	s := newSession(t, rec, width, height)
	s.send(moved{err: s.m.cursor.Seek(3)})
	for _, step := range []struct {
		typed string
		keys  []string
	}{
		{"", nil},
		{"\x1b[C", []string{"right"}},
		{"lll", []string{"lll"}},
		{"\x1b[D", []string{"left"}},
		{"\x1b[6~", []string{"pgdown"}},
		{"/state elected\r", []string{"/state elected", "enter"}},
		{"n", []string{"n"}},
		{"N", []string{"N"}},
		{"v", []string{"v"}},
		{"V", []string{"V"}},
		{"?", []string{"?"}},
		{"x", []string{"x"}},
		{"\x1b[H", []string{"home"}},
		{"\x1b[F", []string{"end"}},
	} {
		if _, err := ours.WriteString(step.typed); err != nil {
			t.Fatal(err)
		}
		for _, key := range step.keys {
			s.press(key)
		}
		settles(t, term, s.m.screen.String(), step.typed)
	}
	if _, err := ours.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("q does not quit")
	}
	// The last escape sequences arrive after Run has returned.
	waitFor(func() bool { return !term.inAlternate() })
	if term.inAlternate() {
		t.Error("the terminal is left on the alternate screen")
	}
	if len(term.unknown) > 0 {
		t.Errorf("commands that the test's terminal does not know: %q", term.unknown)
	}
}

func (t *terminal) inAlternate() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.alternate
}

// settles waits until the terminal shows the frame.
func settles(t *testing.T, term *terminal, want, typed string) {
	t.Helper()
	waitFor(func() bool { return term.frame() == want })
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(term.frame(), "\n")); diff != "" {
		t.Fatalf("after %q (-model +terminal):\n%s", typed, diff)
	}
}

func waitFor(reached func() bool) {
	for begin := time.Now(); !reached() && time.Since(begin) < time.Minute; {
		time.Sleep(5 * time.Millisecond)
	}
}

// TestTerminalInterrupted: at the end of the context the session ends with an error that reports the
// interrupt.
func TestTerminalInterrupted(t *testing.T) {
	_, theirs := openTerminal(t, 80, 24)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, many(t), theirs, theirs, Options{}) }()
	cancel()
	select {
	case err := <-ended:
		if err == nil || errors.Is(err, context.Canceled) || err.Error() != "interrupted while replaying" {
			t.Errorf("%v, want that it was interrupted", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the session outlives its context")
	}
}
