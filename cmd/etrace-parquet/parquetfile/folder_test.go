package parquetfile_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/cmd/etrace-parquet/parquetfile"
	"etrace/tracefmt"
)

// folder is a folder in memory.
type folder map[string]*bytes.Buffer

type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

func (f folder) create(name string) (io.WriteCloser, error) {
	if f[name] != nil {
		return nil, fmt.Errorf("%s is created twice", name)
	}
	f[name] = new(bytes.Buffer)
	return closing{f[name]}, nil
}

// split writes runs into a folder.
func split(tb testing.TB, keys string, runs ...*tracefmt.Memory) folder {
	tb.Helper()
	f := folder{}
	w, err := parquetfile.NewFolder(f.create, keys)
	if err != nil {
		tb.Fatal(err)
	}
	for _, run := range runs {
		if err := tracefmt.Copy(w, run, nil); err != nil {
			tb.Fatal(err)
		}
	}
	return f
}

// opened are the files of a folder, by name or the other way round.
func (f folder) opened(tb testing.TB, backwards bool) (files []*parquetfile.File) {
	tb.Helper()
	names := slices.Sorted(maps.Keys(f))
	if backwards {
		slices.Reverse(names)
	}
	for _, name := range names {
		files = append(files, open(tb, f[name].Bytes()))
	}
	return files
}

// TestFolder: by whatever column a run is split, its parts together are the run, in
// whatever order they are named; and none of them may be missing.
func TestFolder(t *testing.T) {
	empty := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, End: tracefmt.Stopped})
	many := random(30_000)
	one := lines(t, described(t))
	all := lines(t, described(t), empty, many)
	keys := []string{"run"}
	for _, key := range parquetfile.Keys() {
		keys = append(keys, "run,"+key)
	}
	for _, keys := range keys {
		f := split(t, keys, described(t), empty, many)
		merged, err := parquetfile.Merge(f.opened(t, false))
		if err != nil {
			t.Fatal(keys, err)
		}
		if diff := cmp.Diff(all, lines(t, merged...)); diff != "" {
			t.Errorf("%s (-want +got)\n%.2000s", keys, diff)
		}
		if keys == "run" {
			continue
		}
		f = split(t, keys, described(t))
		if len(f) < 2 {
			t.Errorf("%s: %d files, expected several", keys, len(f))
		}
		merged, err = parquetfile.Merge(f.opened(t, true))
		if err != nil {
			t.Fatal(keys, err)
		}
		if diff := cmp.Diff(one, lines(t, merged...)); diff != "" {
			t.Errorf("%s, backwards (-want +got)\n%s", keys, diff)
		}
		for _, files := range [][]*parquetfile.File{f.opened(t, false)[1:], append(f.opened(t, false), f.opened(t, true)[0])} {
			if _, err := parquetfile.Merge(files); err == nil || !strings.Contains(err.Error(), "expected all of its parts") {
				t.Errorf("%s: a part is missing or there twice: %v", keys, err)
			}
		}
	}
}

// TestFolderNames: folders are named as other programs expect, and no name leads elsewhere.
func TestFolderNames(t *testing.T) {
	run := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, End: tracefmt.Stopped, Members: []tracefmt.Member{{Name: "../a"}, {Name: "ü="}, {Name: "."}}})
	for i, p := range []tracefmt.ProcessID{1, 2, 3, 0} {
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Process: p}
		if p == 0 {
			e.Kind = tracefmt.Heal
		}
		_ = run.Write(&e) // memory takes everything
	}
	got := slices.Sorted(maps.Keys(split(t, "run,process", run)))
	want := []string{
		"run=1/process=..%2Fa/part-0.parquet", "run=1/process=./part-0.parquet",
		"run=1/process=__HIVE_DEFAULT_PARTITION__/part-0.parquet", "run=1/process=ü%3D/part-0.parquet",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestFolderRefused: what would be too many files, or no columns to split by.
func TestFolderRefused(t *testing.T) {
	for keys, want := range map[string]string{
		"": "expected run", "type": "expected run", "run,message": `unknown column "message"`, "run,": "unknown column", "run,type,kind": "unknown column",
	} {
		if _, err := parquetfile.NewFolder(folder{}.create, keys); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", keys, err, want)
		}
	}
	run := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}}})
	for i := range 257 {
		_ = run.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Process: 1, Type: fmt.Sprint("t", i)})
	}
	w, err := parquetfile.NewFolder(folder{}.create, "run,type")
	if err == nil {
		err = tracefmt.Copy(w, run, nil)
	}
	if err == nil || !strings.Contains(err.Error(), "seq 257: type has more than 256 values in run 1") {
		t.Error(err)
	}
}
