//go:build unix

package tracedb

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"etrace/tracefmt"
)

// The benchmarks measure CPU time, and compare it with testdata/bench.c. That program writes and reads the same
// table row by row in C, with the SQLite of the driver, in the same run:
//
//	go test -run '^$' -bench . -benchtime 5x ./tracefmt/tracedb

const (
	benchEvents    = 1_000_000
	benchProcesses = 16
)

var benchTypes = [...]string{"ELECTION", "OK", "COORDINATOR", "REQUEST", "REPLY", "RELEASE"}

func benchRun() tracefmt.Run {
	r := tracefmt.Run{Algorithm: "bench", TimeUnit: tracefmt.Delays}
	for i := range benchProcesses {
		r.Members = append(r.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	return r
}

// benchEvent makes event q of a run in which sends and receives take turns.
// Its payload has 58 bytes and is remade in place.
func benchEvent(q int64, e *tracefmt.Event) {
	const payload = `{"round":10000000,"value":"abcdefghijkl","hops":123,"x":1}`
	distance, kind := int64(0), tracefmt.Send
	if q%2 == 0 && q > 64 {
		distance, kind = q*7%31*2+1, tracefmt.Receive
	}
	sent := q - distance
	sender, receiver := tracefmt.ProcessID(sent%benchProcesses+1), tracefmt.ProcessID(sent*5%benchProcesses+1)
	e.Payload = append(e.Payload[:0], payload...)
	for i, v := 16, q; i > 9; i, v = i-1, v/10 {
		e.Payload[i] = byte('0' + v%10)
	}
	e.Seq, e.Time, e.Kind, e.Process, e.Peer, e.Cause = tracefmt.Seq(q), tracefmt.Time(q*137000000), kind, sender, receiver, 0
	if kind == tracefmt.Receive {
		e.Process, e.Peer, e.Cause = receiver, sender, tracefmt.Seq(sent)
	}
	e.Type, e.Message, e.Lamport = benchTypes[(sent-1)%int64(len(benchTypes))], tracefmt.MessageID((sent+1)/2), q/3+1
}

// yardstick builds the C program, or skips.
func yardstick(b *testing.B) string {
	cc, err := exec.LookPath("cc")
	if err != nil {
		b.Skip("no C compiler (cc) to build the program to compare with")
	}
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/mattn/go-sqlite3").Output()
	if err != nil {
		b.Skipf("where is the SQLite of the driver? %v", err)
	}
	driver := strings.TrimSpace(string(folder))
	program := filepath.Join(b.TempDir(), "bench")
	flags, err := exec.Command("go", "env", "CGO_CFLAGS").Output()
	if err != nil {
		b.Fatal(err)
	}
	// Both sides are optimised alike: SQLite at -O1 takes a tenth more. The defines are those of the driver, as far as they
	// change what is executed.
	args := append(strings.Fields(string(flags)),
		"-std=gnu99", "-I"+driver, "-DSQLITE_THREADSAFE=1", "-DHAVE_USLEEP=1", "-DSQLITE_ENABLE_RTREE",
		"-DSQLITE_ENABLE_FTS3", "-DSQLITE_ENABLE_FTS3_PARENTHESIS", "-DSQLITE_TRACE_SIZE_LIMIT=15", "-DSQLITE_OMIT_DEPRECATED",
		"-DSQLITE_ENABLE_UPDATE_DELETE_LIMIT", "-DSQLITE_DEFAULT_WAL_SYNCHRONOUS=1", "-DSQLITE_OMIT_LOAD_EXTENSION",
		"-w", "-o", program, filepath.Join("testdata", "bench.c"), filepath.Join(driver, "sqlite3-binding.c"), "-lm", "-lpthread",
	)
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		b.Skipf("the C program does not build: %v\n%s", err, out)
	}
	return program
}

// cpu returns the CPU time of f, in this process or in its children.
func cpu(b *testing.B, usage int, f func() error) time.Duration {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(usage, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return used() - before
}

func (c *comparison) inC(b *testing.B, args ...string) {
	c.c += cpu(b, syscall.RUSAGE_CHILDREN, func() error {
		out, err := exec.Command(c.program, args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

func (c *comparison) inGo(b *testing.B, f func() error) {
	c.g += cpu(b, syscall.RUSAGE_SELF, f)
}

// comparison adds up CPU times of two programs that do the same.
type comparison struct {
	program string
	c, g    time.Duration
}

func (c *comparison) report(b *testing.B) {
	events := float64(b.N) * benchEvents
	b.ReportMetric(float64(c.g)/float64(c.c), "x-of-C")
	b.ReportMetric(float64(c.g.Nanoseconds())/events, "cpu-ns/event")
	b.ReportMetric(float64(c.c.Nanoseconds())/events, "C-cpu-ns/event")
}

func writeBench(sink tracefmt.Sink) error {
	run := benchRun()
	if err := sink.Begin(&run); err != nil {
		return err
	}
	var e tracefmt.Event
	for q := int64(1); q <= benchEvents; q++ {
		benchEvent(q, &e)
		if err := sink.Write(&e); err != nil {
			return err
		}
	}
	return sink.Finish(tracefmt.Stopped)
}

func writeBenchTrace(path string) error {
	a, err := OpenAppend(path)
	if err != nil {
		return err
	}
	defer a.Discard()
	if err := writeBench(a); err != nil {
		return err
	}
	return a.Commit()
}

func eventDDL() string {
	for _, o := range objects {
		if o.name == "event" {
			return o.sql
		}
	}
	return ""
}

func BenchmarkWrite(b *testing.B) {
	c := comparison{program: yardstick(b)}
	var jsonl time.Duration
	path, reference := filepath.Join(b.TempDir(), "trace.db"), filepath.Join(b.TempDir(), "c.db")
	for b.Loop() {
		os.Remove(path)
		os.Remove(reference)
		c.inC(b, "write", reference, strconv.Itoa(benchEvents), eventDDL())
		c.inGo(b, func() error { return writeBenchTrace(path) })
		jsonl += cpu(b, syscall.RUSAGE_SELF, writeBenchText)
	}
	c.report(b)
	b.ReportMetric(float64(c.g)/float64(jsonl), "x-of-JSONL")
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/benchEvents, "bytes/event")
	expectSameTable(b, path, reference)
}

// expectSameTable makes sure that both programs did the same work.
func expectSameTable(b *testing.B, path, reference string) {
	b.Helper()
	db, err := connect(path, path, "ro")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.exec("ATTACH ? AS c", reference); err != nil {
		b.Fatal(err)
	}
	same, err := db.integer(`SELECT count(*) FROM main.event a JOIN c.event b USING (id, time, who, message, cause, lamport, term, payload)`)
	if err != nil || same != benchEvents {
		b.Fatalf("%d of %d rows are the same, %v", same, benchEvents, err)
	}
}

// writeBenchText writes the same events as JSON Lines, to nowhere.
func writeBenchText() error {
	enc := tracefmt.NewEncoder(io.Discard)
	run := benchRun()
	if err := enc.Begin(&run); err != nil {
		return err
	}
	var e tracefmt.Event
	for q := int64(1); q <= benchEvents; q++ {
		benchEvent(q, &e)
		if err := enc.Write(&e); err != nil {
			return err
		}
	}
	return enc.Finish(tracefmt.Stopped)
}

func BenchmarkScan(b *testing.B) {
	c := comparison{program: yardstick(b)}
	path := filepath.Join(b.TempDir(), "trace.db")
	if err := writeBenchTrace(path); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c.inC(b, "read", path, strconv.Itoa(benchEvents))
		c.inGo(b, func() error { return scanBenchTrace(path) })
	}
	c.report(b)
}

func scanBenchTrace(path string) error {
	db, err := Open(path)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.Recording(1)
	if err != nil {
		return err
	}
	n := 0
	for _, err := range r.Events(1) {
		if err != nil {
			return err
		}
		n++
	}
	if n != benchEvents {
		return fmt.Errorf("%d events", n)
	}
	return nil
}
