package cli

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt/tracedb"
)

// sweptGrid has exhausted cells, samples and verdicts.
const sweptGrid = "sweep chang-roberts --nodes 2..6 --order all --start all --delay 1 --delay uniform(0.5,1.5) --seeds 40 " +
	"--measure messages,time,type.election --check messages-at-most(n*n) --json"

// TestKilledSweep kills a sweep at 20 random moments, each time with a file of its own,
// and lets the same command go on: its table is that of an undisturbed sweep, whatever
// the moment.
func TestKilledSweep(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	folder := t.TempDir()
	began := time.Now()
	want := swept(t, folder, "undisturbed.db")
	most := time.Since(began)
	all, within := resultCount(t, filepath.Join(folder, "undisturbed.db")), 0
	for range 20 {
		file := filepath.Join(folder, "killed.db")
		command := sweptGrid + " -o killed.db"
		moment := time.Duration(random.Int64N(int64(most)))
		for range 1 + random.IntN(2) { // some are killed twice
			cmd := etraceIn(folder, command)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(moment)
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
		}
		if n := resultCount(t, file); n > 0 && n < all {
			within++
		}
		got := swept(t, folder, "killed.db")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("killed after %v (-undisturbed +resumed)\n%s", moment, diff)
		}
		if n := resultCount(t, file); n != all {
			t.Fatalf("killed after %v: %d results, want %d", moment, n, all)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 20 had begun and not ended, of %v and %d runs", within, most, all)
	if within == 0 {
		t.Error("no sweep was killed while it was under way")
	}
}

// swept is what a sweep prints that is not disturbed. Two processes exchange more than
// four messages, so that its exit status is that of a violated property.
func swept(t *testing.T, folder, file string) string {
	t.Helper()
	out, err := etraceIn(folder, sweptGrid+" -o "+file).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitBad {
		t.Fatalf("%s: %v, want exit status %d", file, err, exitBad)
	}
	return string(out)
}

// resultCount is how many results a file has that need not be there.
func resultCount(t *testing.T, path string) (n int) {
	t.Helper()
	r, err := tracedb.ReadResults(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Each(func(int, int64, string) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}
