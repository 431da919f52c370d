package graphviz

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"time"
)

// The pipes carry texts, each after its length: DOT in one direction, answers in the other. The first
// byte of an answer distinguishes an SVG from the text of an error.
const (
	drawn  = 'S'
	failed = 'E'
)

const lengthSize = 8

// ready is the line before the first answer. Package inits of others may have printed before it, which is skipped.
const ready = "\x00etrace draws\n"

// serve draws each text that it reads, until the end of the input, and writes an answer to each. It returns
// after a failed drawing, since the module may be in disorder. It ends with the process that asks, also
// during a drawing. That process alone decides what an interrupt from the terminal means.
func serve(input, out *os.File) {
	signal.Reset() // the program may have handlers of signals, which do not run here
	signal.Ignore(os.Interrupt)
	os.Stdout = os.Stderr // for goroutines that the inits of other packages may have started
	if _, err := io.WriteString(out, "\n"+ready); err != nil {
		return
	}
	texts := make(chan []byte)
	go func() {
		for {
			dot, err := readText(input, MaxDOT)
			if err != nil {
				os.Exit(0)
			}
			texts <- dot
		}
	}()
	for dot := range texts {
		svg, failure := draw(dot)
		var err error
		if failure == nil {
			err = writeText(out, []byte{drawn}, svg)
		} else {
			err = writeText(out, []byte{failed}, []byte(failure.Error()))
		}
		if failure != nil || err != nil {
			return
		}
	}
}

// answer is the drawer's reply to a DOT text.
type answer []byte

// result returns the SVG of an answer, or its error.
func (a answer) result() ([]byte, error) {
	switch {
	case len(a) == 0:
		return nil, errors.New("the answer is empty")
	case a[0] == drawn:
		return a[1:], nil
	}
	return nil, errors.New(string(a[1:]))
}

// process is another process of this program, which draws.
type process struct {
	cmd     *exec.Cmd
	input   io.WriteCloser
	out     *bufio.Reader
	printed beginning // stderr, with the message of a panic
}

// beginning is a writer that keeps the first bytes.
type beginning struct{ kept bytes.Buffer }

// Write implements [io.Writer].
func (b *beginning) Write(p []byte) (int, error) {
	const limit = 64 << 10
	b.kept.Write(p[:min(len(p), limit-b.kept.Len())])
	return len(p), nil
}

// reason returns the reason why a process ended: the line of a panic, else the first line, or "". Lines
// before a panic were printed by the inits of other packages.
func (b *beginning) reason() string {
	lines := strings.Split(b.kept.String(), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return lines[0]
}

// program returns the path of this program. On Linux the path is right even if the file was moved or
// replaced.
func program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// startProcess starts this program again, as a process that draws.
func startProcess(args ...string) (*process, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: &exec.Cmd{Path: path, Args: args, SysProcAttr: ownGroup()}}
	p.cmd.WaitDelay = time.Second // an init of another package may have started a process, which may hold stderr
	p.cmd.Stderr = &p.printed
	p.input, err = p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the process that draws cannot be started: %w", err)
	}
	return p, nil
}

// errGone is the error of a process that ended before it had a text to draw.
var errGone = errors.New("it has ended")

// errNotReady is the error of a process that ended while packages were initialised.
var errNotReady = errors.New("it does not begin")

// awaitReady skips the output before [ready].
func (p *process) awaitReady() error {
	for {
		line, err := p.out.ReadSlice('\n')
		switch {
		case bytes.HasSuffix(line, []byte(ready)):
			return nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("%w: %w", errNotReady, err)
		}
	}
}

// draw sends a DOT text and reads the answer.
func (p *process) draw(dot []byte) (answer, error) {
	if err := writeText(p.input, dot); err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	return readText(p.out, maxSVG+1)
}

// kill ends the process at once.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end ends the process and returns the reason of its failure: its output, else the error.
func (p *process) end(err error) error {
	p.kill()
	_ = p.cmd.Wait() // it was killed
	if line := p.printed.reason(); line != "" {
		err = fmt.Errorf("%s (%w)", line, err)
	}
	return fmt.Errorf("the process that draws failed: %w", err)
}

// writeText writes a text that is given in parts.
func writeText(w io.Writer, parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	length := binary.LittleEndian.AppendUint64(nil, uint64(size))
	for _, part := range append([][]byte{length}, parts...) {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// readText reads a text of at most limit bytes.
func readText(r io.Reader, limit uint64) ([]byte, error) {
	var length [lengthSize]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > limit {
		return nil, fmt.Errorf("a text of %d bytes, expected at most %d", n, limit)
	}
	text := make([]byte, n)
	_, err := io.ReadFull(r, text)
	return text, err
}
