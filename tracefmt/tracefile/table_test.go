package tracefile_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/parquetfile"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

// table are the runs of a text as Parquet.
func table(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquetfile.NewWriter(&b)
	for _, run := range memories(t, text) {
		if err := tracefmt.Copy(w, run, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func write(t *testing.T, path string, content []byte) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTables: Parquet is a trace, whatever its name, as a file, a pipe or a folder.
func TestTables(t *testing.T) {
	folder := t.TempDir()
	content := table(t, twoRuns)
	third := strings.Index(twoRuns, `{"format":"etrace/1","name":"second"`)
	second := memories(t, twoRuns)[1]
	second.Run().Number = 2
	var alone bytes.Buffer
	w := parquetfile.NewWriter(&alone)
	if err := errors.Join(tracefmt.Copy(w, second, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile(pipe, content, 0)
	write(t, filepath.Join(folder, "parts", "b.parquet"), table(t, twoRuns[:third]))
	write(t, filepath.Join(folder, "parts", "a", "a.parquet"), alone.Bytes())
	write(t, filepath.Join(folder, "parts", "_SUCCESS"), nil)
	for path, o := range map[string]tracefile.Options{
		write(t, filepath.Join(folder, "runs.parquet"), content): {},
		write(t, filepath.Join(folder, "table.db"), content):     {},
		tracefile.Stream:                {Stdin: bytes.NewReader(content)},
		pipe:                            {},
		filepath.Join(folder, "parts"):  {},
		filepath.Join(folder, "parts/"): {Salvage: true},
	} {
		trace, err := tracefile.Open(path, o)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := text(t, trace, "all"); got != twoRuns || trace.DB() != nil || len(trace.Damage()) > 0 {
			t.Errorf("%s: got\n%s\nwant\n%s", path, got, twoRuns)
		}
		if got := text(t, trace, "last"); got != twoRuns[third:] {
			t.Errorf("%s: the last run is\n%s", path, got)
		}
		if _, err := trace.Recording(3); err == nil || err.Error() != path+": no run 3, the file has 2" {
			t.Errorf("%s: %v", path, err)
		}
		if err := trace.Close(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// illFormed is a run whose second event has no place in it.
const illFormed = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"1","position":1}]}
{"seq":1,"time":0,"process":"1","kind":"start","lamport":1}
{"seq":1,"time":0,"process":"1","kind":"start","lamport":2}
{"end":"quiescent","events":2}
`

// TestTablesDamaged: what is wrong is said with its place, once it is read; what is sound of it
// can be salvaged.
func TestTablesDamaged(t *testing.T) {
	folder := t.TempDir()
	good, bad := table(t, twoRuns), table(t, illFormed+twoRuns)
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"cut.parquet":    {good[:len(good)-1], ": the file does not end in PAR1, expected the end of a Parquet file: it was cut"},
		"ill.parquet":    {bad, ": run 1 seq 1: seq 1 follows seq 1, expected 2"},
		"header.parquet": {[]byte(parquetfile.Magic), ": the file is too short, expected a Parquet file"},
	} {
		path := write(t, filepath.Join(folder, name), c.content)
		trace, err := tracefile.Open(path, tracefile.Options{})
		if err == nil {
			defer trace.Close()
			for rec, failed := range trace.Recordings(tracefile.Runs{Number: 1}) {
				if err = failed; err == nil {
					err = tracefmt.Verify(t.Context(), rec)
				}
			}
		}
		if !errors.Is(err, tracedb.ErrDamaged) || strings.TrimPrefix(err.Error(), path) != c.want {
			t.Errorf("got  %v\nwant %s%s", err, path, c.want)
		}
	}
	path := filepath.Join(folder, "ill.parquet")
	for _, o := range []tracefile.Options{{Salvage: true}, {Salvage: true, Unvalidated: true}} {
		trace, err := tracefile.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		numbers, err := trace.Numbers(tracefile.Runs{All: true})
		want := 2
		if o.Unvalidated {
			want = 3
		}
		if err != nil || len(numbers) != want || len(trace.Damage()) != 3-want {
			t.Errorf("%+v: runs %v, %v, damage %v", o, numbers, err, trace.Damage())
		}
	}
}

// TestTablesTogether: files that do not go together are no trace.
func TestTablesTogether(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "a.parquet"), table(t, twoRuns))
	write(t, filepath.Join(folder, "b.parquet"), table(t, twoRuns))
	want := folder + ": two files have a run 1, expected the files of one trace"
	if _, err := tracefile.Open(folder, tracefile.Options{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	write(t, filepath.Join(folder, "b.parquet"), []byte("PAR1 and no more PAR1"))
	if _, err := tracefile.Open(folder, tracefile.Options{}); err == nil || !strings.HasPrefix(err.Error(), filepath.Join(folder, "b.parquet")+": ") {
		t.Errorf("got %v, want an error of b.parquet", err)
	}
	if _, err := tracefile.Open(t.TempDir(), tracefile.Options{}); !errors.Is(err, tracedb.ErrNotTrace) {
		t.Errorf("an empty folder: %v", err)
	}
}
