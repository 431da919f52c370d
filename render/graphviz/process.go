package graphviz

import (
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

	"etrace/render/graphviz/standin"
)

// What goes through the pipes is a list of texts, each after its length: DOT one way, answers the other. The first
// byte of an answer says whether it is an SVG or the text of an error.
const (
	drawn  = 'S'
	failed = 'E'
)

const lengthSize = 8

// serve draws what is read until the end of it, and writes an answer to each. It ends with the process that asks, which
// alone decides what an interrupt from the terminal means.
func serve(in io.Reader, out io.Writer) {
	signal.Ignore(os.Interrupt)
	for {
		dot, err := readText(in, MaxDOT)
		if err != nil {
			return
		}
		svg, err := draw(dot)
		if err == nil {
			err = writeText(out, []byte{drawn}, svg)
		} else {
			err = writeText(out, []byte{failed}, []byte(err.Error()))
		}
		if err != nil {
			return
		}
	}
}

// answer is what the drawer says of a DOT text.
type answer []byte

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
	in      io.WriteCloser
	out     io.Reader
	printed bytes.Buffer // on stderr, where a panic says what it is about
}

// program returns the path of this program. The one of Linux is right also where the file was moved or replaced.
func program() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

func startProcess() (*process, error) {
	path, err := program()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: &exec.Cmd{Path: path, Args: []string{standin.Drawer}}}
	p.cmd.Stderr = &p.printed
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the process that draws cannot be started: %w", err)
	}
	return p, nil
}

func (p *process) draw(dot []byte) (answer, error) {
	if err := writeText(p.in, dot); err != nil {
		return nil, err
	}
	return readText(p.out, MaxSVG+1)
}

func (p *process) kill() { _ = p.cmd.Process.Kill() }

// end ends the process and says why it failed: the first line that it printed, else the error.
func (p *process) end(err error) error {
	p.kill()
	_ = p.cmd.Wait() // it was killed
	if line, _, _ := strings.Cut(p.printed.String(), "\n"); line != "" {
		err = errors.New(line)
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

// readText reads a text of at most that many bytes.
func readText(r io.Reader, most uint64) ([]byte, error) {
	var length [lengthSize]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > most {
		return nil, fmt.Errorf("a text of %d bytes, expected at most %d", n, most)
	}
	text := make([]byte, n)
	_, err := io.ReadFull(r, text)
	return text, err
}
