package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxKept is the limit for the part of a name that is repeated in the name of a kept file, so that the system
// accepts its length.
const maxKept = 240

// Keep gives a new file that did not get its place the first free name PATH.run-N, and returns that name. It
// uses the folder where the file lies now, since others may have moved the folder. It needs [Options.New].
func (f *File) Keep(path string) (string, error) {
	f.correctName()
	folder := f.folder()
	base := filepath.Base(path)
	base = base[:min(len(base), maxKept)]
	for n := 1; ; n++ {
		name := filepath.Join(folder, fmt.Sprintf("%s.run-%d", base, n))
		err := f.link(name)
		if !errors.Is(err, fs.ErrExist) {
			return name, inPath(path, errors.Join(err, f.Discard()))
		}
	}
}

// folder returns the present folder of the file, as the user wrote it if it was not moved.
func (f *File) folder() string {
	t := target{path: f.path, fd: -1}
	t.follow()
	was := filepath.Dir(t.place)
	now, ok := whereabouts(f.File)
	if !ok || sameFolder(was, filepath.Dir(now)) {
		return was
	}
	return filepath.Dir(now)
}

// correctName corrects the hidden name of the file if it was moved.
func (f *File) correctName() {
	if f.name == "" || isAt(f.File, f.name) {
		return
	}
	if now, ok := whereabouts(f.File); ok && isAt(f.File, now) {
		f.name = now
	}
}

// sameFolder reports whether two paths lead to the same folder.
func sameFolder(a, b string) bool {
	infoA, err := os.Stat(a)
	if err != nil {
		return false
	}
	infoB, err := os.Stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}
