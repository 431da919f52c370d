package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Options say what may become of a file that is there.
type Options struct {
	// New refuses whatever is there, with [fs.ErrExist].
	New bool
	// Force replaces also what etrace did not write.
	Force bool
	// Trace: what is written is a whole trace, in JSON Lines or Parquet, so Force replaces such
	// a file, too. A database it never does.
	Trace bool
	// Same: what is written may be there already, as a plan is that is made twice. Whether it
	// is the same is known when it is complete: [File.Commit] refuses another one.
	Same bool
	// Inputs are paths of files that are read; none of them is replaced.
	Inputs []string
	// Named gives the file a name beside its own at once, see [os.File.Name], so
	// that others than this package can write to it. It needs New.
	Named bool
}

// File is a new file that is not in its place yet. [File.Commit] puts it there;
// [File.Discard] may always be deferred.
type File struct {
	*os.File
	path    string
	options Options
	// name is where the file lies beside its own, "" if it has none.
	name    string
	through bool // what is written is there at once
	done    bool
	lost    string // what the file replaced, for [File.Lost]
}

// Create begins a file for path, or opens what is written through. Errors begin
// with path, and wrap what the operating system said.
func Create(path string, o Options) (*File, error) {
	t, err := look(path, o)
	if err != nil {
		return nil, err
	}
	if t.kind == stream {
		f, err := t.open()
		return &File{File: f, path: path, through: true}, inPath(path, err)
	}
	if err := t.refusal(o); err != nil && !(o.Same && t.kind == plan) {
		return nil, err
	}
	sweep(filepath.Dir(t.place))
	f := &File{path: path, options: o}
	if !o.Named {
		f.File, err = anonymous(filepath.Dir(t.place))
	}
	if o.Named || err != nil {
		f.File, err = beside(t.place)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be written: %w", path, bare(err))
		}
		f.name = f.File.Name()
	}
	return f, nil
}

// Check says whether [Create] would fail for path as things are now, because of
// what is there or of its folder. It opens no stream.
func Check(path string, o Options) error {
	if IsStream(path) {
		return nil
	}
	f, err := Create(path, o)
	if err != nil {
		return err
	}
	return f.Discard()
}

// Write writes to the file; its errors name the file that the user asked for.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, inPath(f.path, err)
}

// Commit puts the file in its place. What is there is looked at again: if it may
// not be replaced there is an error, and it is left as it is. With
// [Options.New] the error is then [fs.ErrExist], and after any error the file is
// still there until it is kept elsewhere, see [File.Keep], or discarded.
func (f *File) Commit() error {
	if f.through {
		f.done = true
		return inPath(f.path, f.File.Close())
	}
	err := f.settle()
	if err == nil || !f.options.New {
		err = first(err, f.Discard())
	}
	return inPath(f.path, err)
}

// Lost says what [Options.Force] replaced when the file was put in its place, "" if nothing
// was lost.
func (f *File) Lost() string { return f.lost }

// settle gives the file the name of its place. The file is on the disk before: after a
// failure of the machine there is the old file or the new one.
func (f *File) settle() error {
	if !f.options.New {
		if err := addSum(f.File); err != nil {
			return err
		}
	}
	if err := f.File.Sync(); err != nil {
		return err
	}
	f.find()
	release(f.File)
	for {
		t, err := look(f.path, f.options)
		if err == nil {
			if err = t.refusal(f.options); err != nil && f.options.Same && f.isAlready(t.place) {
				return nil
			}
		}
		if err != nil {
			return err
		}
		if t.kind == absent {
			err = f.link(t.place)
		} else {
			err = f.replace(t)
		}
		switch {
		case err == nil:
			f.lost = kinds[t.kind].lost
			syncFolder(filepath.Dir(t.place))
			return nil
		case f.options.New || !errors.Is(err, fs.ErrExist):
			return err
		} // else something appeared there: look what it is
	}
}

// isAlready reports whether the file at a place has the same bytes.
func (f *File) isAlready(place string) bool {
	there, err := os.ReadFile(place)
	if err != nil {
		return false
	}
	if f.name != "" { // the file may be closed, see release
		made, err := os.ReadFile(f.name)
		return err == nil && bytes.Equal(made, there)
	}
	made, err := io.ReadAll(io.NewSectionReader(f.File, 0, int64(len(there))+1))
	return err == nil && bytes.Equal(made, there)
}

// link gives the file a name that nothing has.
func (f *File) link(place string) error {
	if f.name == "" {
		return linkAnonymous(f.File, place)
	}
	err := os.Link(f.name, place)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return f.linkByRename(place)
}

// linkByRename serves file systems without hard links: the name is taken with an
// empty file, so that no file of others is replaced.
func (f *File) linkByRename(place string) error {
	taken, err := os.OpenFile(place, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	taken.Close()
	if err := os.Rename(f.name, place); err != nil {
		os.Remove(place)
		return err
	}
	f.name = ""
	return nil
}

// replace gives the file the name and the permissions of one that is there. If another
// file has come to the name since that was looked at, it stays, and the error is
// [fs.ErrExist].
func (f *File) replace(t target) error {
	name, err := nameFor(t.place)
	if err != nil {
		return err
	}
	name += exchanging
	if f.name == "" {
		err = linkAnonymous(f.File, name)
	} else {
		err = os.Rename(f.name, name)
	}
	if err != nil {
		return err
	}
	f.name = name
	_ = f.File.Chmod(t.info.Mode().Perm()) // best effort: not every system can
	switch err := exchange(name, t.place); {
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrExist // what was there is gone: look again
	case errors.Is(err, errors.ErrUnsupported):
		if err = os.Rename(name, t.place); err == nil {
			f.name = ""
		}
		return err
	case err != nil:
		return err
	}
	// The hidden name is now that of the file that was there.
	if found, err := os.Lstat(name); err == nil && !t.is(found) && exchange(name, t.place) == nil {
		return fs.ErrExist
	}
	f.name = ""
	return ignoreGone(os.Remove(name)) // another program may have swept it
}

func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Discard gives up what is not in its place. After the file was put there it
// changes nothing.
func (f *File) Discard() error {
	if f.done {
		return nil
	}
	f.done = true
	var err error
	f.find()
	if f.name != "" {
		err = os.Remove(f.name) // while it is locked: nobody else removes it
	}
	f.File.Close() // what was to be kept is on the disk
	return inPath(f.path, err)
}

// Temporary returns a file without a name for what a program cannot keep in
// memory: it is gone when it is closed, whatever ends the program. left is its
// name on systems where it has one, to be removed then.
func Temporary() (f *os.File, left string, err error) {
	if f, err = anonymous(os.TempDir()); err == nil {
		return f, "", nil
	}
	if f, err = os.CreateTemp("", "etrace-"); err != nil { // which only its owner may read
		return nil, "", err
	}
	if os.Remove(f.Name()) != nil {
		left = f.Name()
	}
	return f, left, nil
}

// inPath says what went wrong with path, not with a name beside it.
func inPath(path string, err error) error {
	var of *fs.PathError
	var between *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &of) || errors.As(err, &between):
		return fmt.Errorf("%s: %w", path, bare(err))
	}
	return err
}

// bare is what the operating system said, without the names.
func bare(err error) error {
	var of *fs.PathError
	var between *os.LinkError
	switch {
	case errors.As(err, &of):
		return of.Err
	case errors.As(err, &between):
		return between.Err
	}
	return err
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// syncFolder is best effort: not every system can.
func syncFolder(folder string) {
	if f, err := os.Open(folder); err == nil {
		_ = f.Sync()
		f.Close()
	}
}
