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

// Options restrict what may happen to an existing file.
type Options struct {
	// New refuses every existing file, with [fs.ErrExist].
	New bool
	// Force also replaces files that etrace did not write.
	Force bool
	// Trace is set if the output is a whole trace in JSON Lines or Parquet: then Force also replaces such a trace. It
	// never replaces a database.
	Trace bool
	// Same permits an existing file with equal content, such as a plan that is made twice. [File.Commit] compares the
	// complete files, and refuses to replace a different one.
	Same bool
	// Inputs are paths of files that the program reads; none of them is replaced.
	Inputs []string
	// Named gives the new file a hidden name from the start, see [os.File.Name], so that other packages can write to
	// it. It needs New.
	Named bool
}

// File is a new file that is not yet in its place. [File.Commit] puts it there; the caller may always defer
// [File.Discard].
type File struct {
	*os.File
	path    string
	options Options
	// name is the file's hidden name beside its place, "" if it has none.
	name     string
	isStream bool // the target is a stream, so writes take effect at once
	done     bool
	lost     string // the replaced file, for [File.Lost]
}

// Create begins a file for path, or opens a stream. Errors begin with path, and wrap the error of the operating
// system.
func Create(path string, o Options) (*File, error) {
	t, err := examineTarget(path, o)
	if err != nil {
		return nil, err
	}
	if t.kind == stream {
		f, err := t.open()
		return &File{File: f, path: path, isStream: true}, inPath(path, err)
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
		f.File, err = createBeside(t.place)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot be written: %w", path, systemError(err))
		}
		f.name = f.File.Name()
	}
	return f, nil
}

// Check returns the error that [Create] would have now, because of an existing file or of the folder. It opens
// no stream.
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

// Write writes to the file; its errors have the name given by the user.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	return n, inPath(f.path, err)
}

// Commit puts the file in its place. It checks an existing file again: if that may not be replaced, Commit
// fails and leaves it unchanged. With [Options.New] this error is [fs.ErrExist]. After any error the new file
// still exists, until it is kept elsewhere, see [File.Keep], or discarded.
func (f *File) Commit() error {
	_, err := CommitAll(f)
	return err
}

// CommitAll puts files in their places, if each of them can be completed and may take its place. It returns the
// number of files in place: all, or 0. Only if the system fails while it renames the files, the first ones stay
// in place.
func CommitAll(files ...*File) (placed int, err error) {
	for _, f := range files {
		if err := f.prepare(); err != nil {
			return 0, f.failed(err)
		}
	}
	for i, f := range files {
		if err := f.place(); err != nil {
			return i, f.failed(err)
		}
		// A hidden name that cannot be removed is no error: the next program that writes here removes it.
		_ = f.Discard()
	}
	return len(files), nil
}

// failed returns the error with the path of the file. It discards the file, unless [Options.New] lets the caller
// keep it.
func (f *File) failed(err error) error {
	if !f.options.New {
		f.Discard()
	}
	return inPath(f.path, err)
}

// Lost describes the file that [Options.Force] replaced, "" if nothing was lost.
func (f *File) Lost() string { return f.lost }

// prepare completes the file, and syncs it to the disk. So after a crash of the machine the old or the new file
// exists completely.
func (f *File) prepare() error {
	if f.isStream {
		return nil
	}
	if !f.options.New {
		if err := addSum(f.File); err != nil {
			return err
		}
	}
	if err := f.File.Sync(); err != nil {
		return err
	}
	f.correctName()
	release(f.File)
	_, _, err := f.check()
	return err
}

// check examines the present target of the path. It fails if the target may not be replaced. same is true if it
// has the same content and may stay.
func (f *File) check() (t target, same bool, err error) {
	t, err = examineTarget(f.path, f.options)
	if err == nil {
		err = t.refusal(f.options)
		if err != nil && f.options.Same && f.isAlready(t.place) {
			return t, true, nil
		}
	}
	return t, false, err
}

// place moves the file to its place.
func (f *File) place() error {
	if f.isStream {
		f.done = true
		return f.File.Close()
	}
	for {
		t, same, err := f.check()
		switch {
		case err != nil || same:
			return err
		case t.kind == absent:
			err = f.link(t.place)
		default:
			err = f.replace(t)
		}
		switch {
		case err == nil:
			f.lost = kinds[t.kind].lost
			syncFolder(filepath.Dir(t.place))
			return nil
		case f.options.New || !errors.Is(err, fs.ErrExist):
			return err
		}
		// Another file appeared at the place: check it again.
	}
}

// isAlready reports whether the file at a place has the content of the new file.
func (f *File) isAlready(place string) bool {
	existing, err := os.ReadFile(place)
	if err != nil {
		return false
	}
	if f.name != "" { // the file may be closed, see release
		made, err := os.ReadFile(f.name)
		return err == nil && bytes.Equal(made, existing)
	}
	made, err := io.ReadAll(io.NewSectionReader(f.File, 0, int64(len(existing))+1))
	return err == nil && bytes.Equal(made, existing)
}

// link gives the file a new name.
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

// linkByRename is for file systems without hard links: it reserves the name with an empty file, so no other
// file is replaced.
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

// replace gives the file the name and the permissions of the checked file. If another file has appeared under
// the name since, it stays, and the error is [fs.ErrExist].
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
	_ = f.File.Chmod(t.info.Mode().Perm()) // best effort: some systems cannot
	switch err := exchange(name, t.place); {
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrExist // the checked file is gone: check again
	case errors.Is(err, errors.ErrUnsupported):
		err = os.Rename(name, t.place)
		if err == nil {
			f.name = ""
		}
		return err
	case err != nil:
		return err
	}
	// The hidden name is now that of the old file.
	if found, err := os.Lstat(name); err == nil && !t.unchanged(found) && exchange(name, t.place) == nil {
		return fs.ErrExist
	}
	f.name = ""
	os.Remove(name) // a file that cannot be removed is no error: the next program that writes here sweeps it
	return nil
}

// Discard removes the file unless it is in its place. After Commit it does nothing.
func (f *File) Discard() error {
	if f.done {
		return nil
	}
	f.done = true
	var err error
	f.correctName()
	if f.name != "" {
		err = os.Remove(f.name) // it is still locked, so no other program removes it
	}
	f.File.Close() // its error loses nothing: content to keep is on the disk
	return inPath(f.path, err)
}

// Temporary returns a file without a name for data that does not fit in memory. It disappears when it is
// closed, or when the program ends for any reason. left is its name on systems where it has one, to be removed
// then.
func Temporary() (f *os.File, left string, err error) {
	f, err = anonymous(os.TempDir())
	if err == nil {
		return f, "", nil
	}
	f, err = os.CreateTemp("", "etrace-") // only its owner may read it
	if err != nil {
		return nil, "", err
	}
	if os.Remove(f.Name()) != nil {
		left = f.Name()
	}
	return f, left, nil
}

// inPath replaces the hidden name in an error by path.
func inPath(path string, err error) error {
	var pathError *fs.PathError
	var between *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pathError) || errors.As(err, &between):
		return fmt.Errorf("%s: %w", path, systemError(err))
	}
	return err
}

// systemError returns the error of the operating system, without the operation and the names of files around it.
func systemError(err error) error {
	var pathError *fs.PathError
	var between *os.LinkError
	switch {
	case errors.As(err, &pathError):
		return pathError.Err
	case errors.As(err, &between):
		return between.Err
	}
	return err
}

// syncFolder syncs a folder to the disk, if the system can do that.
func syncFolder(folder string) {
	if f, err := os.Open(folder); err == nil {
		_ = f.Sync()
		f.Close()
	}
}
