package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// kind is the kind of a target.
type kind int

const (
	absent kind = iota
	stream
	folder
	input
	trace
	exported
	readOnly
	empty
	owned
	results
	plan
	summary
	changed
	unsummed
	foreign
)

// kinds have the refusal for each kind of target, and the description of the loss if [Options.Force] replaces
// it, "" if it may not be replaced. Kinds that are not listed may be replaced.
var kinds = map[kind]struct{ refusal, lost string }{
	folder:   {"is a directory, expected a file", ""},
	input:    {"is what is read here and is never overwritten; expected another name", ""},
	trace:    {"is a trace, which is never overwritten; expected another name", ""},
	exported: {"is a trace, which is never overwritten; expected another name", "a trace"},
	readOnly: {"is read-only; expected another name, or a file that may be written", ""},
	results:  {"has the results of a sweep, which are never overwritten; expected another name", ""},
	plan: {
		"is a plan, whose shards may be running; expected another name, or --force to replace it",
		"a plan, whose summaries no other plan takes",
	},
	summary: {"is a summary of shards; expected another name, or --force to replace it", "a summary of shards"},
	changed: {
		"was changed after etrace wrote it; expected another name, or --force to replace it",
		"a file that was changed after etrace wrote it",
	},
	unsummed: {
		"has no sum of etrace and may have been changed; expected another name, or --force to replace it",
		"a file of etrace that may have been changed",
	},
	foreign: {
		"exists, and etrace does not know it as its own; expected another name, or --force to replace it",
		"a file that etrace does not know as its own",
	},
}

// target is the present target of a path.
type target struct {
	path  string // the path that the user gave
	place string // after symbolic links
	kind  kind
	info  fs.FileInfo // the facts about the existing file
	fd    int         // the number of a descriptor of this process, or -1
}

// refusal returns why the target may not be written to, nil if it may.
func (t *target) refusal(o Options) error {
	// The order matters: an input is never replaced, not even by force.
	switch {
	// New refuses every existing file; a stream is written to, and a folder has its own refusal below.
	case o.New && t.kind != absent && t.kind != stream && t.kind != folder:
		return fmt.Errorf("%s: %w", t.path, fs.ErrExist)
	case o.Force && kinds[t.kind].lost != "" && (o.Trace || t.kind != exported):
		return nil
	case o.Trace && t.kind == exported:
		return errors.New(t.path + ": is a trace; expected another name, or --force to replace it")
	}
	if k, ok := kinds[t.kind]; ok {
		return errors.New(t.path + ": " + k.refusal)
	}
	return nil
}

// unchanged reports whether a file is the examined one, with the same size and time.
func (t *target) unchanged(found fs.FileInfo) bool {
	return os.SameFile(found, t.info) && found.Size() == t.info.Size() && found.ModTime().Equal(t.info.ModTime())
}

// examineTarget returns the target of path and its kind. It fails if the system cannot examine the file.
func examineTarget(path string, o Options) (target, error) {
	t := target{path: path, fd: -1}
	if path == "" {
		return t, errors.New(`"": expected the name of a file`)
	}
	t.follow()
	if t.fd >= 0 {
		t.kind = t.descriptorKind(o)
		return t, nil
	}
	var err error
	t.info, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return t, fmt.Errorf("%s: cannot be written: %w", path, systemError(err))
	case t.info.IsDir():
		t.kind = folder
	case !t.info.Mode().IsRegular():
		t.kind = stream
	default:
		t.kind = t.regularKind(o)
	}
	return t, nil
}

// descriptorKind returns the kind of the file behind a descriptor of this process. A trace or an input may not
// be written through a descriptor, either.
func (t *target) descriptorKind(o Options) kind {
	info, err := os.Stat(t.place)
	if err != nil || !info.Mode().IsRegular() {
		return stream
	}
	t.info = info
	if k := t.regularKind(o); k == input || k == trace || k == exported {
		return k
	}
	return stream
}

// mostLinks is the limit for symbolic links, as in Linux.
const mostLinks = 40

// follow resolves symbolic links, also to a missing file, or to a descriptor of this process.
func (t *target) follow() {
	t.place = t.path
	for range mostLinks {
		if fd, ok := descriptor(t.place); ok {
			t.fd = fd
			return
		}
		link, err := os.Readlink(t.place)
		if err != nil {
			return
		}
		if !filepath.IsAbs(link) {
			// Not joined: the part before ".." may also be a link.
			link = folderOf(t.place) + link
		}
		t.place = link
	}
}

// folderOf returns the folder in a path, with the slash at its end.
func folderOf(path string) string {
	folder, _ := filepath.Split(path)
	return folder
}

// descriptor returns the number of a descriptor of this process in a name such as /dev/fd/3, the target of
// /dev/stdout.
func descriptor(path string) (int, bool) {
	n, err := strconv.Atoi(filepath.Base(path))
	if err != nil || n < 0 {
		return 0, false
	}
	folder, err := filepath.Abs(folderOf(path))
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	return n, err == nil && (folder == "/dev/fd" || folder == fmt.Sprintf("/proc/%d/fd", os.Getpid()))
}

// Descriptor returns the number of the descriptor that path names, such as 1 for
// /dev/stdout; ok is false if it names none.
func Descriptor(path string) (fd int, ok bool) {
	t := target{path: path, fd: -1}
	t.follow()
	return t.fd, t.fd >= 0
}

// IsStream reports whether path names a stream: a device, a pipe or a descriptor.
func IsStream(path string) bool {
	t, err := examineTarget(path, Options{})
	return err == nil && (t.kind == stream || t.fd >= 0)
}

// open opens a stream.
func (t *target) open() (*os.File, error) {
	if t.fd >= 0 {
		// Opening it again would write from its beginning.
		return duplicate(t.fd, t.path)
	}
	return os.OpenFile(t.path, os.O_WRONLY, 0)
}

// headSize is the size of the examined parts at the beginning and at the end of a file.
const headSize = 64 << 10

// regularKind returns the kind of a regular file.
func (t *target) regularKind(o Options) kind {
	for _, path := range o.Inputs {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, t.info) {
			return input
		}
	}
	head, tail := ends(t.place)
	switch {
	// Databases come first: no flag replaces them, even if they are read-only.
	case isDatabase(head, application):
		return trace
	case isDatabase(head, sweepResults):
		return results
	case isText(head) || isParquet(head, tail) || isText(unpacked(head)):
		return exported
	case Writable(t.place) != nil:
		return readOnly
	case t.info.Size() == 0:
		return empty
	case bytes.Contains(head[:min(len(head), 64)], []byte(`"format": "etrace.plan/`)):
		return plan
	case bytes.HasPrefix(head, []byte(`{"format":"etrace.shard/`)):
		return summary
	case isPart(head) || isPart(unpacked(head)):
		return owned
	}
	m := markOf(head, tail)
	switch {
	case m == nil:
		return foreign
	case m.comment == comment{}:
		return owned
	}
	return checkSum(t.place, m.comment)
}

// ends reads the beginning and the end of a file, as far as possible.
func ends(path string) (head, tail []byte) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	head, tail, _ = endsOf(f)
	return head, tail
}

// endsOf reads the beginning and the end of an open file.
func endsOf(f *os.File) (head, tail []byte, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	head, err = io.ReadAll(io.NewSectionReader(f, 0, min(size, headSize)))
	if err != nil || size <= headSize {
		return head, head, err
	}
	tail, err = io.ReadAll(io.NewSectionReader(f, size-headSize, headSize))
	return head, tail, err
}
