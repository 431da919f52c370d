package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// kind is what a path names, as far as somebody who wants to write there goes.
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
	own
	foreign
)

// refusals say why something is not replaced, and what was expected. What is not
// listed may be.
var refusals = map[kind]string{
	folder:   "is a directory, expected a file",
	input:    "is what is read here and is never overwritten; expected another name",
	trace:    "is a trace, which is never overwritten; expected another name",
	exported: "is a trace, which is never overwritten; expected another name",
	readOnly: "is read-only; expected another name, or a file that may be written",
	foreign:  "exists and was not written by etrace; expected another name, or --force to replace it",
}

// target is what a path names at the moment.
type target struct {
	path  string // as the user wrote it
	place string // where symbolic links lead
	kind  kind
	info  fs.FileInfo // of what is there
	fd    int         // of a descriptor of this process, or -1
}

// refusal says why the target may not be written to, nil if it may.
func (t *target) refusal(o Options) error {
	switch {
	case o.New && t.kind != absent && t.kind != stream && t.kind != folder:
		return fmt.Errorf("%s: %w", t.path, fs.ErrExist)
	case o.Force && (t.kind == foreign || o.Trace && t.kind == exported):
		return nil
	case o.Trace && t.kind == exported:
		return errors.New(t.path + ": is a trace; expected another name, or --force to replace it")
	}
	if why, ok := refusals[t.kind]; ok {
		return errors.New(t.path + ": " + why)
	}
	return nil
}

// look finds out what path names.
func look(path string, o Options) (target, error) {
	t := target{path: path, fd: -1}
	if path == "" {
		return t, errors.New(`"": expected the name of a file`)
	}
	t.follow()
	if t.fd >= 0 {
		t.kind = t.behind(o)
		return t, nil
	}
	var err error
	t.info, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return t, fmt.Errorf("%s: cannot be written: %w", path, bare(err))
	case t.info.IsDir():
		t.kind = folder
	case !t.info.Mode().IsRegular():
		t.kind = stream
	default:
		t.kind = t.regular(o)
	}
	return t, nil
}

// behind finds out what a descriptor leads to: a trace, or what is read, is no
// more written to through it than by its name.
func (t *target) behind(o Options) kind {
	info, err := os.Stat(t.place)
	if err != nil || !info.Mode().IsRegular() {
		return stream
	}
	t.info = info
	if k := t.regular(o); k == input || k == trace || k == exported {
		return k
	}
	return stream
}

// mostLinks is how many symbolic links are followed, as Linux does.
const mostLinks = 40

// follow finds the place where symbolic links lead, also one where nothing is,
// or the descriptor of this process.
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
			// Not joined: what is before ".." may be a link, too.
			link = folderOf(t.place) + link
		}
		t.place = link
	}
}

func folderOf(path string) string {
	folder, _ := filepath.Split(path)
	return folder
}

// descriptor returns the number in the name of a descriptor of this process,
// such as /dev/fd/3, to which /dev/stdout leads, too.
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

// IsStream reports whether path names something that is written through: a
// device, a pipe or a descriptor.
func IsStream(path string) bool {
	t, err := look(path, Options{})
	return err == nil && (t.kind == stream || t.fd >= 0)
}

// open opens a stream.
func (t *target) open() (*os.File, error) {
	if t.fd >= 0 {
		// Opened anew it would be written from its beginning.
		return duplicate(t.fd, t.path)
	}
	return os.OpenFile(t.path, os.O_WRONLY, 0)
}

// headSize is how much of a file is looked at, from its beginning and its end.
const headSize = 64 << 10

// regular finds out what a regular file is.
func (t *target) regular(o Options) kind {
	for _, path := range o.Inputs {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, t.info) {
			return input
		}
	}
	head, tail := ends(t.place)
	switch {
	case isDatabase(head):
		return trace
	case isText(head) || isParquet(head, tail):
		return exported
	case Writable(t.place) != nil:
		return readOnly
	case t.info.Size() == 0:
		return empty
	case isOwn(head, tail):
		return own
	}
	return foreign
}

// ends reads the beginning and the end of a file, as far as it can be read.
func ends(path string) (head, tail []byte) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	head, _ = io.ReadAll(io.LimitReader(f, headSize))
	if at, err := f.Seek(-headSize, io.SeekEnd); err != nil || at == 0 {
		return head, head
	}
	tail, _ = io.ReadAll(io.LimitReader(f, headSize))
	return head, tail
}
