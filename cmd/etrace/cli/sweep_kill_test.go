package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/size"
	"etrace/tracefmt/tracedb"
)

// sweptGrid has exhausted cells, samples and verdicts.
const sweptGrid = "sweep chang-roberts --nodes 2..6 --order all --start all --delay 1 --delay uniform(0.5,1.5) --seeds 40 " +
	"--measure messages,time,type.election --check messages-at-most(n*n) --json"

// TestKilledSweep kills a sweep when its file has grown to a random size, each time with a file of its own, and lets
// the same command go on: its table is that of an undisturbed sweep, whatever the moment.
func TestKilledSweep(t *testing.T) {
	size.SkipQuick(t)
	random := rand.New(rand.NewPCG(size.Pick(1, 1, uint64(time.Now().UnixNano())), 0))
	folder := t.TempDir()
	want := swept(t, folder, "undisturbed.db")
	undisturbed := filepath.Join(folder, "undisturbed.db")
	results, bytes := resultCount(t, undisturbed), fileSize(undisturbed)
	file := filepath.Join(folder, "killed.db")
	for round := range size.Pick(0, 2, 20) {
		within := false
		for attempt := 0; attempt < 10 && !within; attempt++ { // on a busy machine it may have ended by then
			os.Remove(file)
			limit := random.Int64N(bytes / 2)
			for range 1 + round%2 { // some are killed twice
				kill(t, etraceIn(folder, sweptGrid+" -o killed.db"), func() bool { return fileSize(file) > limit })
			}
			n := resultCount(t, file)
			within = n > 0 && n < results
			if diff := cmp.Diff(want, swept(t, folder, "killed.db")); diff != "" {
				t.Fatalf("killed with %d of %d results (-undisturbed +resumed)\n%s", n, results, diff)
			}
			if resumed := resultCount(t, file); resumed != results {
				t.Fatalf("killed with %d of %d results: %d in the end", n, results, resumed)
			}
		}
		if !within {
			t.Error("no sweep was killed while it was under way")
		}
	}
}

// kill starts a command and kills it once the moment has come.
func kill(t *testing.T, cmd *exec.Cmd, moment func() bool) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for !moment() {
		select {
		case <-ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
	_ = cmd.Process.Kill() // it may have ended
	<-ended
}

// fileSize returns the size of a file, 0 if it does not exist.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
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

// TestInterruptedPlot: an interrupted sweep keeps an earlier plot, and reports that. A new plot names the missing cells.
func TestInterruptedPlot(t *testing.T) {
	folder := t.TempDir()
	old, next := filepath.Join(folder, "old.svg"), filepath.Join(folder, "next.svg")
	quietly(t, "sweep", "le-lann", "--nodes", "2..5", "--start", "all", "--plot", old)
	want := mustRead(t, old)
	grid := []string{"sweep", "le-lann", "--nodes", "2..12", "--order", "all", "--start", "all"} // 12! runs
	for _, plot := range []string{old, next} {
		var errOut bytes.Buffer
		for wait := 100 * time.Millisecond; ; wait *= 2 {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			errOut.Reset()
			status := RunContext(ctx, append(grid, "--plot", plot), strings.NewReader(""), io.Discard, &errOut)
			cancel()
			if status == exitOpen {
				break
			}
			if wait > 10*time.Second { // without a run there is no table
				t.Fatalf("exit status %d: %s", status, &errOut)
			}
		}
		if said := strings.Contains(errOut.String(), "interrupted: "+plot+" stays as it was"); said != (plot == old) {
			t.Errorf("%s: stderr %q", plot, &errOut)
		}
	}
	if mustRead(t, old) != want {
		t.Error("the plot of a complete sweep is gone")
	}
	if !strings.Contains(mustRead(t, next), "interrupted: ") {
		t.Error("the new plot does not say that the sweep was interrupted")
	}
}
