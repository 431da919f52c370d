package tracedb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"etrace/tracefmt"
)

// unprivileged removes the privileges of this thread, so that the test is also valid for root.
func unprivileged(t *testing.T) (back func()) {
	if os.Geteuid() != 0 {
		return func() {}
	}
	const nobodyID = 65534
	runtime.LockOSThread()
	set := func(id uintptr) { syscall.RawSyscall(syscall.SYS_SETFSUID, id, 0, 0) }
	set(nobodyID)
	return func() { set(0); runtime.UnlockOSThread() }
}

// openFolder is a temporary folder that strangers may enter.
func openFolder(t *testing.T) string {
	folder := t.TempDir()
	if err := os.Chmod(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestPermissions: reading needs no permission to write, writing does.
func TestPermissions(t *testing.T) {
	folder := openFolder(t)
	path, secret := filepath.Join(folder, "trace.db"), filepath.Join(folder, "secret.db")
	mustSave(t, path, election())
	mustSave(t, secret, election())
	for name, mode := range map[string]os.FileMode{path: 0o444, secret: 0, folder: 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(folder, 0o755)
	defer unprivileged(t)()
	expectRun(t, path, 1, election())
	if _, err := Open(secret); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("reading what may not be read: %v", err)
	}
	if _, err := OpenAppend(path); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("appending: %v", err)
	}
	if err := SaveVerdicts(path, nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("saving verdicts: %v", err)
	}
	if _, err := OpenLive(path, LiveOptions{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("recording: %v", err)
	}
	if _, err := OpenAppend(filepath.Join(folder, "new.db")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("creating: %v", err)
	}
}

// TestInterruptedReadOnly: without write permission, the work of an interrupted writer cannot be rolled back,
// and the error states it.
func TestInterruptedReadOnly(t *testing.T) {
	folder := openFolder(t)
	path := filepath.Join(folder, "trace.db")
	mustSave(t, path, longRun(1000))
	killed(t, "append", path, func() {})
	os.Chmod(path, 0o444)
	os.Chmod(folder, 0o555)
	defer os.Chmod(folder, 0o755)
	func() {
		defer unprivileged(t)()
		_, err := Open(path)
		if want := path + ": a writer was interrupted, and what it left cannot be rolled back: no permission to write to it"; err == nil ||
			err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}()
	os.Chmod(folder, 0o755)
	os.Chmod(path, 0o644)
	expectRun(t, path, 1, longRun(1000))
}

// needs skips a test on a system that refuses what it needs.
func needs(t *testing.T, err error, feature string) {
	t.Helper()
	if err != nil {
		t.Skipf("needs %s: %v", feature, err)
	}
}

// TestDiskFull fills a real file system.
func TestDiskFull(t *testing.T) {
	folder := t.TempDir()
	needs(t, syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=512k"), "to mount a small file system")
	defer syscall.Unmount(folder, 0)
	path := filepath.Join(folder, "trace.db")
	fill := func() {
		t.Helper()
		if err := save(path, longRun(20_000)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("error %v", err)
		}
	}
	fill()
	expectFolder(t, folder)
	mustSave(t, path, election())
	before := hash(t, path)
	fill()
	expectFolder(t, folder, "trace.db")
	if hash(t, path) != before {
		t.Error("the trace has changed")
	}
	// A live recording keeps what was committed before.
	l, err := OpenLive(path, LiveOptions{Events: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := tracefmt.Copy(l, longRun(20_000), nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("recording: error %v", err)
	}
	l.Close()
	expectRun(t, path, 1, election())
	run, events, err := load(path, 2)
	if err != nil || len(events) == 0 || run.End != tracefmt.Open {
		t.Errorf("%d events, %q, %v", len(events), run.End, err)
	}
}
