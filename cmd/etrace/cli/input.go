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
		return &heedful{ctx: ctx, r: a.stdin}, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory, expected a file", path)
	}
	f, err := heed(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		return f, nil
	}
	return &heedful{ctx: ctx, r: f, c: f}, nil
}

// heed does what may wait forever, and returns when ctx ends, too: what waits
// is then left to itself.
func heed[T any](ctx context.Context, wait func() (T, error)) (result T, err error) {
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

// heedful is a stream whose reads end when the context does.
type heedful struct {
	ctx context.Context
	r   io.Reader
	c   io.Closer // nil for stdin
	buf []byte    // the read that may be left to itself has its own
}

// Read implements [io.Reader].
func (h *heedful) Read(p []byte) (n int, err error) {
	if len(h.buf) < len(p) {
		h.buf = make([]byte, len(p))
	}
	n, err = heed(h.ctx, func() (int, error) { return h.r.Read(h.buf[:len(p)]) })
	if n > 0 { // then no read was left to itself, and the buffer is ours
		copy(p, h.buf[:n])
	}
	return n, err
}

// Close implements [io.Closer].
func (h *heedful) Close() error {
	if h.c == nil {
		return nil
	}
	return h.c.Close()
}

// until returns stdin, which ends where ctx does: after the last whole line that has come, as the rest of a line could be
// misread.
func (a *app) until(ctx context.Context) io.Reader {
	return &until{ctx: ctx, r: &heedful{ctx: ctx, r: a.stdin}}
}

type until struct {
	ctx context.Context
	r   io.Reader
	// lines are complete, partial follows them; err is the end of r.
	lines, partial []byte
	err            error
}

// Read implements [io.Reader].
func (u *until) Read(p []byte) (int, error) {
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
