package tracefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// waysToLose are what others may do to the place of a new file, and where it is
// kept then, "" if it still gets its place.
var waysToLose = map[string]struct {
	do   func(folder, base string) error
	kept string
}{
	"taken": {func(folder, base string) error {
		return os.WriteFile(filepath.Join(folder, base), []byte("mine"), 0o666)
	}, "here"},
	"moved": {func(folder, _ string) error { return os.Rename(folder, folder+"-not") }, "here-not"},
	"another folder": {func(folder, _ string) error {
		return errors.Join(os.Rename(folder, folder+"-not"), os.Mkdir(folder, 0o777))
	}, ""},
}

// TestKept: what was recorded for a new file is kept if that loses its place.
func TestKept(t *testing.T) {
	for _, base := range []string{"new.db", "new.jsonl"} {
		for name, way := range waysToLose {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			folder := filepath.Join(root, "here")
			if err := os.Mkdir(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			err = recordThen(filepath.Join(folder, base), func() error { return way.do(folder, base) })
			want := filepath.Join(root, way.kept, base+".run-1")
			var kept *tracedb.KeptError
			switch {
			case way.kept == "":
				want = filepath.Join(folder, base)
				if err != nil {
					t.Errorf("%s, %s: %v", base, name, err)
				}
			case !errors.As(err, &kept) || kept.Kept != want:
				t.Errorf("%s, %s: error %v, want what was recorded in %s", base, name, err, want)
			}
			left, _ := filepath.Glob(filepath.Join(root, "*", ".new*"))
			if info, err := os.Stat(want); err != nil || info.Size() < 100 || left != nil {
				t.Errorf("%s, %s: %v, %v, beside it %q", base, name, info, err, left)
			}
		}
	}
}

// recordThen records a run for path, and lets something happen before the end.
func recordThen(path string, do func() error) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	defer w.Discard()
	run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}}, TimeUnit: tracefmt.Delays, Source: "some log"}
	if err := errors.Join(
		w.Begin(run), w.Write(&tracefmt.Event{Seq: 1, Process: 1, Kind: tracefmt.Note}),
		w.Finish(tracefmt.Stopped), do(),
	); err != nil {
		return err
	}
	return w.Commit()
}
