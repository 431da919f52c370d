package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
)

// TestPrint: what is printed is there whole, however long it is, or not at all.
func TestPrint(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	long := bytes.Repeat([]byte("0123456789abcde\n"), inMemory/16*3)
	for _, size := range []int{0, 5, inMemory, inMemory + 1, len(long)} {
		var out bytes.Buffer
		a := &app{out: &out}
		piecewise := func(w io.Writer) error {
			for remaining := long[:size]; len(remaining) > 0; {
				n, err := w.Write(remaining[:min(len(remaining), 1<<20-7)])
				if err != nil {
					return err
				}
				remaining = remaining[n:]
			}
			return nil
		}
		if err := a.print(piecewise); err != nil || !bytes.Equal(out.Bytes(), long[:size]) {
			t.Errorf("%d bytes: printed %d, %v", size, out.Len(), err)
		}
		out.Reset()
		failed := errors.New("failed")
		if err := a.print(func(w io.Writer) error { return errors.Join(piecewise(w), failed) }); !errors.Is(err, failed) || out.Len() > 0 {
			t.Errorf("%d bytes, and a failure: printed %d, %v", size, out.Len(), err)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
