package atomicfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func expectFolder(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func expectText(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", path, got, err, want)
	}
}

// put writes a file independently of the tested functions.
func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, path, text string, o Options) *File {
	t.Helper()
	f, err := Create(path, o)
	if err == nil {
		_, err = f.Write([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Discard() })
	return f
}

// The ways in which a file is new, with and without a name of its own.
var waysToBeNew = map[string]Options{"anonymous": {New: true}, "named": {New: true, Named: true}}

// ours is a text that etrace may replace, in a format that has no room for a sum.
const ours = "{\n  \"format\": \"etrace.check/1\"\n}\n"

// TestNothingHalfWritten: until the end there is what was there before.
func TestNothingHalfWritten(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	create(t, path, "given up", Options{}).Discard()
	expectFolder(t, folder)
	for _, text := range []string{ours + "first", ours + "second"} {
		if err := create(t, path, text, Options{}).Commit(); err != nil {
			t.Fatal(err)
		}
		expectText(t, path, text)
		f := create(t, path, "given up", Options{})
		expectText(t, path, text)
		f.Discard()
		f.Discard()
		expectText(t, path, text)
	}
	expectFolder(t, folder, "a")
}

// TestNew: what is there is not replaced, also where there are no hard links.
func TestNew(t *testing.T) {
	for name, o := range waysToBeNew {
		folder := t.TempDir()
		path := filepath.Join(folder, "a")
		first, second := create(t, path, "first", o), create(t, path, "second", o)
		if err := first.Commit(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := second.Commit(); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v, want %v", name, err, fs.ErrExist)
		}
		if o.Named {
			expectText(t, second.Name(), "second")
		}
		second.Discard()
		if _, err := Create(path, o); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v, want %v", name, err, fs.ErrExist)
		}
		expectText(t, path, "first")
		expectFolder(t, folder, "a")
	}
}

func TestLinkByRename(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	first, two := create(t, path, "first", waysToBeNew["named"]), create(t, path, "second", waysToBeNew["named"])
	if err := first.linkByRename(path); err != nil {
		t.Error(err)
	}
	if err := two.linkByRename(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want %v", err, fs.ErrExist)
	}
	first.Discard()
	two.Discard()
	expectText(t, path, "first")
	expectFolder(t, folder, "a")
}

// TestManyAtOnce: of those who make one new file, one does; the others hear of it.
func TestManyAtOnce(t *testing.T) {
	for name, o := range map[string]Options{"new": {New: true}, "named": {New: true, Named: true}, "replacing": {}} {
		folder := t.TempDir()
		path := filepath.Join(folder, "a")
		var group sync.WaitGroup
		var files []*File
		for i := range 8 {
			files = append(files, create(t, path, fmt.Sprint("writer ", i), o))
		}
		won := make([]bool, len(files))
		for i, f := range files {
			group.Go(func() { won[i] = f.Commit() == nil; f.Discard() })
		}
		group.Wait()
		if n := len(slices.DeleteFunc(slices.Clone(won), func(ok bool) bool { return !ok })); n != 1 {
			t.Errorf("%s: %d of 8 writers believe that theirs is there, want 1", name, n)
		}
		expectText(t, path, fmt.Sprint("writer ", slices.Index(won, true)))
		expectFolder(t, folder, "a")
	}
}

// sqlite is the header of a database of an application.
func sqlite(application string) string {
	return sqliteMagic + strings.Repeat("\x00", applicationAt-len(sqliteMagic)) + application + strings.Repeat("\x00", 28)
}

// packed is a text in gzip.
func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// TestTargets has a row for each kind of target: the existing file, and the errors without and with Force, ""
// for none. Without an error the file is replaced.
func TestTargets(t *testing.T) {
	foreignText := kinds[foreign].refusal
	const traceText = "is a trace, which is never overwritten; expected another name"
	for name, tt := range map[string]struct {
		text          string
		mode          fs.FileMode
		plain, forced string
	}{
		"parquet":           {`PAR1 {"format":"etrace.parquet/1"} PAR1`, 0o644, traceText, traceText},
		"parquet of others": {`PAR1 PAR1`, 0o644, foreignText, ""},
		"empty":             {"", 0o600, "", ""},
		"own":               {ours, 0o640, "", ""},
		"own, read-only":    {ours, 0o444, kinds[readOnly].refusal, kinds[readOnly].refusal},
		"foreign":           {"notes", 0o644, foreignText, ""},
		"foreign read-only": {"notes", 0o444, kinds[readOnly].refusal, kinds[readOnly].refusal},
		"trace":             {sqlite("ETRC"), 0o644, traceText, traceText},
		"database":          {sqlite("GPKG"), 0o644, foreignText, ""},
		"json lines":        {`{"format":"etrace/1"}` + "\n", 0o644, traceText, traceText},
		"written by hand":   {"\uFEFF \n{ \"name\": \"x\", \"format\" : \"etrace/1\" }\n", 0o644, traceText, traceText},
		"packed lines":      {packed(`{"format":"etrace/1"}` + "\n"), 0o644, traceText, traceText},
		"packed notes":      {packed("notes"), 0o644, foreignText, ""},
		"sweep results":     {sqlite("ETRS"), 0o644, kinds[results].refusal, kinds[results].refusal},
		"plan":              {"{\n  \"format\": \"etrace.plan/1\",\n", 0o644, kinds[plan].refusal, ""},
		"summary":           {`{"format":"etrace.shard/1","tool":`, 0o644, kinds[summary].refusal, ""},
		"without a sum":     {"# Written by etrace, which may replace it\n", 0o644, kinds[unsummed].refusal, ""},
		"about a trace":     {"see:\n" + `{"format":"etrace/1"}`, 0o644, foreignText, ""},
	} {
		for _, force := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "a")
			put(t, path, tt.text, tt.mode)
			want := tt.plain
			if force {
				want = tt.forced
			}
			f, err := Create(path, Options{Force: force})
			if want != "" {
				if err == nil || err.Error() != path+": "+want {
					t.Errorf("%s, force %v: error %v, want %s", name, force, err, want)
				}
				expectText(t, path, tt.text)
				continue
			}
			if err == nil {
				_, err = f.Write([]byte("new"))
				if err == nil {
					err = f.Commit()
				}
			}
			if err != nil {
				t.Errorf("%s, force %v: %v", name, force, err)
				continue
			}
			expectText(t, path, "new")
			if lost := f.Lost(); (lost != "") != (tt.plain != "") {
				t.Errorf("%s, force %v: lost %q", name, force, lost)
			}
			if info, _ := os.Stat(path); info.Mode().Perm() != tt.mode {
				t.Errorf("%s: mode %v, want %v as before", name, info.Mode(), tt.mode)
			}
			expectFolder(t, filepath.Dir(path), "a")
		}
	}
}

// TestTraceForTrace: with Force, a whole trace may replace a trace in lines or columns, and never a database.
func TestTraceForTrace(t *testing.T) {
	for text, forced := range map[string]string{
		`{"format":"etrace/1"}` + "\n":            "",
		`PAR1 {"format":"etrace.parquet/1"} PAR1`: "",

		sqlite("ETRC"): kinds[trace].refusal,
	} {
		path := filepath.Join(t.TempDir(), "a")
		put(t, path, text, 0o644)
		if err := Check(path, Options{Trace: true}); err == nil || !strings.HasPrefix(err.Error(), path+": is a trace") {
			t.Errorf("%q: %v, expected that it is a trace", text, err)
		}
		switch err := Check(path, Options{Trace: true, Force: true}); {
		case forced == "" && err != nil:
			t.Errorf("%q, force: %v", text, err)
		case forced != "" && (err == nil || err.Error() != path+": "+forced):
			t.Errorf("%q, force: %v, expected %s", text, err, forced)
		}
	}
}

// TestAppears: what may not be replaced is not if it comes between.
func TestAppears(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	f := create(t, path, "new", Options{})
	put(t, path, sqlite("ETRC"), 0o644)
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), "is a trace") {
		t.Errorf("got %v, want that it is a trace", err)
	}
	expectText(t, path, sqlite("ETRC"))
	expectFolder(t, folder, "a")
}

// TestAppearsAtLast: what comes to the name after the last look at it stays, too.
func TestAppearsAtLast(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	put(t, path, ours, 0o644)
	f := create(t, path, "new", Options{})
	seen, err := examineTarget(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	needs(t, !errors.Is(exchange(path, path), errors.ErrUnsupported), "an exchange of two files")
	for _, change := range []func(){
		func() { os.Remove(path); put(t, path, "notes", 0o644) },
		func() { put(t, path, "notes written into it", 0o644) },
	} {
		change()
		before, _ := os.ReadFile(path)
		if err := f.replace(seen); !errors.Is(err, fs.ErrExist) {
			t.Errorf("error %v, want %v", err, fs.ErrExist)
		}
		expectText(t, path, string(before))
	}
	os.Remove(path)
	if err := f.replace(seen); !errors.Is(err, fs.ErrExist) {
		t.Errorf("nothing there: error %v, want %v", err, fs.ErrExist)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	expectText(t, path, "new")
	expectFolder(t, folder, "a")
}

// TestInputs: by whatever path a file is read, it is not written to.
func TestInputs(t *testing.T) {
	folder := t.TempDir()
	path, hard, soft := filepath.Join(folder, "a"), filepath.Join(folder, "hard"), filepath.Join(folder, "soft")
	put(t, path, ours, 0o644)
	if err := errors.Join(os.Link(path, hard), os.Symlink("a", soft)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for _, name := range []string{"a", "./a", "hard", "soft", path} {
		for _, out := range []string{"a", "hard", "soft"} {
			if err := Check(out, Options{Inputs: []string{name}, Force: true}); err == nil || err.Error() != out+": "+kinds[input].refusal {
				t.Errorf("%s to %s: got %v", name, out, err)
			}
		}
	}
}

// TestLinks: what a link leads to is written, also where nothing is yet.
func TestLinks(t *testing.T) {
	for name, o := range map[string]Options{"replacing": {}, "new": {New: true}, "named": {New: true, Named: true}} {
		folder := t.TempDir()
		sub := filepath.Join(folder, "sub")
		link, end := filepath.Join(folder, "link"), filepath.Join(sub, "a")
		if err := errors.Join(os.Mkdir(sub, 0o777), os.Symlink("sub/second", link), os.Symlink("a", filepath.Join(sub, "second"))); err != nil {
			t.Fatal(err)
		}
		rounds := 1
		if !o.New {
			rounds = 2
		}
		for range rounds {
			if err := create(t, link, ours, o).Commit(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			expectText(t, end, ours)
			if target, err := os.Readlink(link); err != nil || target != "sub/second" {
				t.Errorf("%s: the link leads to %q, %v", name, target, err)
			}
		}
		expectFolder(t, folder, "link", "sub")
		expectFolder(t, sub, "a", "second")
	}
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(loop, Options{}); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link to itself: got %v", err)
	}
}

// needs skips a test on a system that lacks what it needs.
func needs(t *testing.T, has bool, feature string) {
	t.Helper()
	if !has {
		t.Skip("needs " + feature)
	}
}

// TestStreams: they are written through, and stay what they are.
func TestStreams(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "fifo")
	needs(t, makePipe(fifo) == nil, "named pipes")
	got := make(chan string)
	go func() {
		b, _ := os.ReadFile(fifo)
		got <- string(b)
	}()
	if err := create(t, fifo, "through", Options{}).Commit(); err != nil {
		t.Error(err)
	}
	if text := <-got; text != "through" {
		t.Errorf("the pipe got %q", text)
	}
	info, err := os.Stat("/dev/null")
	needs(t, err == nil && info.Mode()&fs.ModeDevice != 0, "a device /dev/null")
	null := filepath.Join(folder, "null")
	if err := os.Symlink("/dev/null", null); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/dev/null", null} {
		if err := create(t, path, "x", Options{}).Commit(); err != nil || !IsStream(path) {
			t.Errorf("%s: %v, and is a stream: %v", path, err, IsStream(path))
		}
	}
	expectFolder(t, folder, "fifo", "null")
}

// TestDescriptors: what was redirected is written on from where it is.
func TestDescriptors(t *testing.T) {
	n, ok := Descriptor("/dev/stdout")
	needs(t, ok && n == 1, "/dev/stdout to be descriptor 1")
	path := filepath.Join(t.TempDir(), "a")
	put(t, path, "before, ", 0o644)
	output, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	for _, folder := range []string{"/dev/fd", "/proc/self/fd", fmt.Sprintf("/proc/%d/fd", os.Getpid())} {
		if err := create(t, fmt.Sprint(folder, "/", output.Fd()), "after", Options{}).Commit(); err != nil {
			t.Errorf("%s: %v", folder, err)
		}
	}
	expectText(t, path, "before, afterafterafter")
	if _, ok := Descriptor(path); ok {
		t.Error("a file is no descriptor")
	}
}

// TestDescriptorsOfTraces: what is read, and traces, are not written to so either.
func TestDescriptorsOfTraces(t *testing.T) {
	_, ok := Descriptor("/dev/stdout")
	needs(t, ok, "names of descriptors")
	for text, want := range map[string]string{sqlite("ETRC"): kinds[trace].refusal, ours: kinds[input].refusal} {
		path := filepath.Join(t.TempDir(), "a")
		put(t, path, text, 0o644)
		output, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer output.Close()
		for _, folder := range []string{"/dev/fd", "/proc/self/fd"} {
			name := fmt.Sprint(folder, "/", output.Fd())
			o := Options{Force: true}
			if want == kinds[input].refusal {
				o.Inputs = []string{path}
			}
			if _, err := Create(name, o); err == nil || err.Error() != name+": "+want {
				t.Errorf("%s: error %v, want %s", name, err, want)
			}
		}
		expectText(t, path, text)
	}
}

// TestPipesBehindDescriptors: a pipe is written to, and none of its bytes are read, whatever they are.
func TestPipesBehindDescriptors(t *testing.T) {
	_, ok := Descriptor("/dev/stdout")
	needs(t, ok, "names of descriptors")
	readEnd, writeEnd, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer readEnd.Close()
	header := sqlite("ETRC")
	if _, err := writeEnd.WriteString(header); err != nil {
		t.Fatal(err)
	}
	err = create(t, fmt.Sprint("/dev/fd/", writeEnd.Fd()), "after", Options{}).Commit()
	writeEnd.Close()
	got, unread := io.ReadAll(readEnd)
	if err != nil || unread != nil || string(got) != header+"after" {
		t.Errorf("%v, %v, %q", err, unread, got)
	}
}

// TestSweep: what a dead program left goes, what a living one has stays.
func TestSweep(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	living := create(t, path, "", waysToBeNew["named"])
	needs(t, lock(living.File, false) == nil, "locks of files")
	dead, err := nameFor(path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dead, "", 0o644)
	put(t, dead+"-journal", "", 0o644)
	foreign := filepath.Join(folder, ".a.etrace-0123456789abcdef0123456789ab")
	put(t, foreign, "", 0o644)
	notes := filepath.Join(folder, ".a.etrace-notes")
	put(t, notes, "", 0o644)
	half, err := nameFor(path) // exchanged for a file that came at the last moment
	if err != nil {
		t.Fatal(err)
	}
	put(t, half+exchanging, "notes", 0o644)
	put(t, dead[:len(dead)-1]+"_"+exchanging, ours, 0o644) // no name of etrace
	put(t, dead+exchanging, ours, 0o644)
	create(t, path, "", Options{}).Discard()
	want := []string{
		filepath.Base(foreign), filepath.Base(living.Name()), filepath.Base(notes),
		filepath.Base(half) + exchanging, filepath.Base(dead[:len(dead)-1]) + "_" + exchanging,
	}
	slices.Sort(want)
	expectFolder(t, folder, want...)
	living.Discard()
}

// TestSweepFolders: the folder of a dead program goes, that of a living one stays.
func TestSweepFolders(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "a")
	living, err := folderBeside(path)
	if err != nil {
		t.Fatal(err)
	}
	defer living.lock.Close()
	needs(t, lock(living.lock, false) == nil, "locks of files")
	for _, parts := range [][]string{{}, {lockName}, {lockName, madeName, madeName + "/run=1"}} {
		dead, err := nameFor(path)
		if err == nil {
			err = os.Mkdir(dead, 0o777)
		}
		for _, part := range parts {
			if part == lockName {
				put(t, filepath.Join(dead, part), "", 0o644)
			} else {
				err = errors.Join(err, os.Mkdir(filepath.Join(dead, part), 0o777))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := Folder(filepath.Join(top, "b"), func(f *NewFolder) error {
		if file, err := f.Create("run=1/0.jsonl"); err != nil || file.Close() != nil {
			t.Error(err)
		}
		expectFolder(t, filepath.Join(f.made, "run=1"), "0.jsonl")
		return nil
	}); err != nil {
		t.Error(err)
	}
	expectFolder(t, top, filepath.Base(filepath.Dir(living.made)), "b")
	expectFolder(t, filepath.Join(top, "b"), "run=1")
}

// TestFolder: it is whole or not there, replaces nothing, and errors name it as the user did.
func TestFolder(t *testing.T) {
	top := t.TempDir()
	path := filepath.Join(top, "a")
	failed := errors.New("failed")
	if err := Folder(path, func(*NewFolder) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	expectFolder(t, top)
	err := Folder(path, func(f *NewFolder) error {
		if _, err := f.Create("x"); err != nil {
			return err
		}
		_, err := f.Create("x")
		return err
	})
	if err == nil || err.Error() != filepath.Join(path, "x")+": file exists" {
		t.Errorf("an error of a file in it: %v", err)
	}
	err = Folder(path, func(f *NewFolder) error { return os.Mkdir(path, 0o777) })
	if !errors.Is(exchange(top, top), errors.ErrUnsupported) && (err == nil || err.Error() != path+": file exists") {
		t.Errorf("a folder that has appeared: %v", err)
	}
	expectFolder(t, top, "a")
}

// TestErrors: they name the file that was asked for, and nothing is left.
func TestErrors(t *testing.T) {
	folder := t.TempDir()
	expect := func(err error, kind error, text string) {
		t.Helper()
		if err == nil || kind != nil && !errors.Is(err, kind) || err.Error() != text {
			t.Errorf("got %v, want %s", err, text)
		}
	}
	_, err := Create(folder, Options{})
	expect(err, nil, folder+": is a directory, expected a file")
	_, err = Create("", Options{})
	expect(err, nil, `"": expected the name of a file`)
	path := filepath.Join(folder, "none", "a")
	_, err = Create(path, Options{})
	expect(err, fs.ErrNotExist, path+": cannot be written: no such file or directory")
	path = filepath.Join(folder, "a")
	f := create(t, path, "", Options{})
	f.Close()
	_, err = f.Write([]byte("text"))
	expect(err, fs.ErrClosed, path+": file already closed")
	f.Discard()
	f = create(t, path, "text", Options{})
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	expect(f.Commit(), nil, path+": is a directory, expected a file")
	expectFolder(t, folder, "a")
	long := filepath.Join(folder, strings.Repeat("x", 250))
	if err := create(t, long, "text", waysToBeNew["named"]).Commit(); err != nil {
		t.Errorf("a long name: %v", err)
	}
}

// TestCommitAll: files get their names together, if no one of them is refused. If a rename fails, the caller knows how
// many are in place.
func TestCommitAll(t *testing.T) {
	for way, o := range waysToBeNew {
		folder := t.TempDir()
		series := func() (files []*File) {
			for _, name := range []string{"1/a", "2/b", "3/c"} {
				if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o777); err != nil {
					t.Fatal(err)
				}
				files = append(files, create(t, filepath.Join(folder, name), "text", o))
			}
			return files
		}
		// A folder in the place of the third file is found before any file gets its name.
		files := series()
		if err := os.Mkdir(filepath.Join(folder, "3/c"), 0o777); err != nil {
			t.Fatal(err)
		}
		if placed, err := CommitAll(files...); placed != 0 || err == nil || !strings.Contains(err.Error(), "3/c: ") {
			t.Errorf("%s: %d files are in place, error %v, want none, and an error about 3/c", way, placed, err)
		}
		for _, f := range files {
			f.Discard()
		}
		expectFolder(t, filepath.Join(folder, "1"))
		expectFolder(t, filepath.Join(folder, "3"), "c")
		os.Remove(filepath.Join(folder, "3/c"))
		// A folder that is removed is noticed when the third file gets its name: two have theirs by then.
		files = series()
		if err := os.RemoveAll(filepath.Join(folder, "3")); err != nil {
			t.Fatal(err)
		}
		if placed, err := CommitAll(files...); placed != 2 || err == nil {
			t.Errorf("%s: %d files are in place, error %v, want 2, and an error about the third", way, placed, err)
		}
		files[2].Discard()
		expectText(t, filepath.Join(folder, "2/b"), "text")
	}
}

// TestModes: a file has the permissions of any new file.
func TestModes(t *testing.T) {
	folder := t.TempDir()
	second := filepath.Join(folder, "other")
	if err := os.WriteFile(second, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want, _ := os.Stat(second)
	for name, o := range waysToBeNew {
		path := filepath.Join(folder, name)
		if err := create(t, path, "", o).Commit(); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.Stat(path); got.Mode() != want.Mode() {
			t.Errorf("%s: mode %v, want %v", name, got.Mode(), want.Mode())
		}
	}
}

// TestFindGone: a hidden name that another program has removed stays the name of the file.
func TestFindGone(t *testing.T) {
	f := create(t, filepath.Join(t.TempDir(), "a"), "text", waysToBeNew["named"])
	defer f.Discard()
	name := f.name
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	f.correctName()
	if f.name != name {
		t.Errorf("the file is at %s, want %s", f.name, name)
	}
}
