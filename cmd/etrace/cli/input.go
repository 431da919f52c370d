package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"etrace/tracefmt/tracefile"
)

// errInterrupted is the error of reading when the context ended.
var errInterrupted = errors.New("interrupted")

// input opens the file at path, or stdin for "-". The end of ctx also interrupts waiting for a pipe without a
// writer or without data.
func (a *app) input(ctx context.Context, path string) (io.ReadCloser, error) {
	if path == tracefile.Stream {
		return &interruptibleReader{ctx: ctx, r: a.stdin}, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory, expected a file", path)
	}
	f, err := interruptible(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	return &interruptibleReader{ctx: ctx, r: f, c: f}, nil
}

// interruptible calls wait, which may block forever, and returns its result. If ctx ends before, it returns errInterrupted
// and abandons the call.
func interruptible[T any](ctx context.Context, wait func() (T, error)) (result T, err error) {
	type ending struct {
		result T
		err    error
	}
	done := make(chan ending, 1)
	go func() { result, err := wait(); done <- ending{result, err} }()
	select {
	case e := <-done:
		return e.result, e.err
	case <-ctx.Done():
		return result, errInterrupted
	}
}

// interruptibleReader is a stream whose reads end when the context does.
type interruptibleReader struct {
	ctx context.Context
	r   io.Reader
	c   io.Closer // nil for stdin
	buf []byte    // for r: an abandoned read may still write to it
}

// Read implements [io.Reader].
func (h *interruptibleReader) Read(p []byte) (n int, err error) {
	if len(h.buf) < len(p) {
		h.buf = make([]byte, len(p))
	}
	n, err = interruptible(h.ctx, func() (int, error) { return h.r.Read(h.buf[:len(p)]) })
	if n > 0 { // the read was not abandoned, so no goroutine writes to the buffer
		copy(p, h.buf[:n])
	}
	return n, err
}

// Close implements [io.Closer].
func (h *interruptibleReader) Close() error {
	if h.c == nil {
		return nil
	}
	return h.c.Close()
}

// stdinUntil returns stdin up to the end of ctx. It then ends after the last complete line, because half a line could be
// misread.
func (a *app) stdinUntil(ctx context.Context) io.Reader {
	return &wholeLines{ctx: ctx, r: &interruptibleReader{ctx: ctx, r: a.stdin}}
}

// wholeLines reads the complete lines of r until ctx ends.
type wholeLines struct {
	ctx context.Context
	r   io.Reader
	// lines are received complete lines that were not read yet, partial the beginning of the next line. err is the error at the
	// end of r.
	lines, partial []byte
	err            error
}

// Read implements [io.Reader].
func (u *wholeLines) Read(p []byte) (int, error) {
	for len(u.lines) == 0 && u.err == nil {
		n, err := u.r.Read(p)
		u.partial = append(u.partial, p[:n]...)
		end := bytes.LastIndexByte(u.partial, '\n') + 1
		u.err = err
		switch {
		case err != nil && u.ctx.Err() != nil:
			u.err = io.EOF
		case err != nil:
			end = len(u.partial)
		}
		u.lines, u.partial = u.partial[:end], bytes.Clone(u.partial[end:])
	}
	n := copy(p, u.lines)
	u.lines = u.lines[n:]
	if len(u.lines) > 0 {
		return n, nil
	}
	return n, u.err
}
