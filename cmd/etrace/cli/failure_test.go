package cli

import (
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// TestDescribe: an error names the place once, even if an error of the system contains it, too.
func TestDescribe(t *testing.T) {
	read := &fs.PathError{Op: "read", Path: "t.jsonl", Err: syscall.EIO}
	for _, c := range []struct {
		err  error
		want string
	}{
		{read, "t.jsonl: input/output error"},
		{fmt.Errorf("t.jsonl: line 1: %w", read), "t.jsonl: line 1: input/output error"},
		{fmt.Errorf("trace.db: %w", read), "trace.db: read t.jsonl: input/output error"},
	} {
		if got := describe(c.err); got != c.want {
			t.Errorf("describe(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}
