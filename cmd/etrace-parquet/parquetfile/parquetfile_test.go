package parquetfile_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"etrace/cmd/etrace-parquet/parquetfile"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// described is the run of etrace explain jsonl, in which every kind and key occurs.
func described(tb testing.TB) *tracefmt.Memory {
	tb.Helper()
	_, text, _ := strings.Cut(tracefmt.DescribeJSONL(), "\nExample:\n")
	runs, err := tracefmt.ReadMemory(strings.NewReader(text))
	if err != nil || len(runs) != 1 {
		tb.Fatal(len(runs), err)
	}
	return runs[0]
}

func open(tb testing.TB, file []byte) *parquetfile.File {
	tb.Helper()
	f, err := parquetfile.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// lines are runs as JSON Lines.
func lines[R tracefmt.Recording](tb testing.TB, runs ...R) string {
	tb.Helper()
	var b strings.Builder
	enc := tracefmt.NewEncoder(&b)
	for _, run := range runs {
		if err := enc.Encode(run); err != nil {
			tb.Fatal(err)
		}
	}
	return b.String()
}

// TestSame: what is written is read again, to the byte of the text twin, whatever kinds and
// keys there are, how many runs, and how many row groups; and equal runs are equal files.
func TestSame(t *testing.T) {
	strange := tracefmt.NewMemory(tracefmt.Run{
		Name: "<&> \u2028", TimeUnit: tracefmt.Logical, Source: tracefmt.Simulated, Scenario: []byte(`{"n":"<a&b>","x":1.50}`),
		Members: []tracefmt.Member{{Name: "a\x00\"", Position: 2, Attributes: []byte(`{"z":1,"a":[1e400]}`)}, {Name: "7", Position: 1}},
	})
	empty := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays})
	for _, end := range []*tracefmt.Memory{strange, empty} {
		if err := end.Finish(tracefmt.Deadline); err != nil {
			t.Fatal(err)
		}
	}
	open1 := tracefmt.NewMemory(*described(t).Run()) // still being recorded
	for name, runs := range map[string][]*tracefmt.Memory{
		"every kind":  {described(t)},
		"many events": {random(300_000), described(t)},
		"many runs":   {strange, empty, described(t), open1, random(2000), empty},
		"no event":    {empty},
		"no run":      {},
	} {
		var all []tracefmt.Recording
		for _, run := range runs {
			all = append(all, run)
		}
		file := write(t, all...)
		if diff := cmp.Diff(lines(t, runs...), lines(t, open(t, file).Runs()...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if !bytes.Equal(file, write(t, all...)) {
			t.Errorf("%s: written twice it is two files", name)
		}
	}
}

// TestEventsFrom: a run is read from any of its events on.
func TestEventsFrom(t *testing.T) {
	run := open(t, write(t, random(700), random(300_000))).Runs()[1]
	for _, from := range []tracefmt.Seq{1, 2, 511, 512, 513, 261_444, 261_445, 262_144, 262_145, 300_000, 300_001, 1 << 60} {
		want := from
		for e, err := range run.Events(from) {
			if err != nil || e.Seq != want {
				t.Fatalf("from %d: %v, %v", from, e, err)
			}
			want++
			if want == from+3 {
				break
			}
		}
		if from <= 300_000 && want == from || from > 300_000 && want != from {
			t.Errorf("from %d: up to %d", from, want)
		}
	}
}

// TestColumns: what an event lacks is null, not 0; rows are in order, row groups small
// enough to be read one by one, and packed by zstd.
func TestColumns(t *testing.T) {
	run := described(t)
	file := write(t, run)
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(f.Root().Columns()), len(parquetfile.Columns()); got != want {
		t.Fatalf("%d columns, expected %d", got, want)
	}
	nulls := map[string]int64{}
	for e := range run.Events(1) {
		for column, null := range map[string]bool{
			"process": e.Process == 0, "peer": e.Peer == 0, "type": e.Type == "", "message": e.Message == 0, "cause": e.Cause == 0,
			"lamport": e.Lamport == 0, "term": e.Term == 0, "payload": e.Payload == nil,
		} {
			if null {
				nulls[column]++
			}
		}
	}
	got := map[string]int64{}
	for _, c := range f.Metadata().RowGroups[0].Columns {
		name := c.MetaData.PathInSchema[0]
		if n := c.MetaData.Statistics.NullCount; n > 0 {
			got[name] = n
		}
		if c.MetaData.Codec.String() != "ZSTD" {
			t.Errorf("%s is packed by %s", name, c.MetaData.Codec)
		}
	}
	if diff := cmp.Diff(nulls, got); diff != "" {
		t.Errorf("nulls (-want +got)\n%s", diff)
	}
}

// TestRefused: a file that is none of ours is refused in a sentence.
func TestRefused(t *testing.T) {
	good := write(t, described(t))
	changed := func(old, other string) []byte {
		if len(old) != len(other) || bytes.Count(good, []byte(old)) != 1 {
			t.Fatalf("%q occurs %d times", old, bytes.Count(good, []byte(old)))
		}
		return bytes.Replace(bytes.Clone(good), []byte(old), []byte(other), 1)
	}
	var others bytes.Buffer
	w := parquet.NewGenericWriter[struct{ Run, Seq int64 }](&others)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	footer := func(b string) []byte {
		return append(binary.LittleEndian.AppendUint32([]byte("PAR1"+b), uint32(len(b))), "PAR1"...)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"no footer":      {footer(""), "Thrift"},
		"deep":           {footer(strings.Repeat("\x1c", 1<<20)), "Thrift"},
		"deep lists":     {footer("\x19" + strings.Repeat("\x19", 1<<20)), "Thrift"},
		"long list":      {footer("\x15\x04\x19\xfc\xff\xff\xff\xff\x07"), "Thrift"},
		"long text":      {footer("\x18\xff\xff\xff\xff\x07"), "Thrift"},
		"nothing":        {nil, "too short"},
		"short":          {good[:11], "too short"},
		"cut":            {good[:len(good)-1], "it was cut"},
		"no Parquet":     {append([]byte("PAR2"), good[4:]...), "does not begin with PAR1"},
		"long footer":    {append(bytes.Clone(good[:len(good)-8]), "\xff\xff\xff\x7fPAR1"...), "more than the file"},
		"others":         {others.Bytes(), "etrace did not write"},
		"version":        {changed("etrace.parquet/2\",\"runs", "etrace.parquet/3\",\"runs"), `format "etrace.parquet/3"`},
		"time unit":      {changed(`"time_unit":"`, `"time_uniq":"`), "the footer was changed after it was written"},
		"a header":       {changed(`"default":"all"`, `"default":"xyz"`), "the footer was changed after it was written"},
		"number of rows": {changed(`"rows":`, `"rowz":`), "rows"},
	} {
		_, err := parquetfile.Open(bytes.NewReader(c.file), int64(len(c.file)))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, expected an error with %q", name, err, c.want)
		}
	}
}

// TestDamaged: whatever byte of a file is another one, and wherever it was cut, reading it
// ends, with an error or not.
func TestDamaged(t *testing.T) {
	good := write(t, described(t))
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= [...]byte{0xff, 1, 0x80}[i%3]
		readAll(bad)
		if i%16 == 0 {
			readAll(append(bytes.Clone(good[:i]), good[max(i, len(good)-8):]...))
		}
	}
}

// TestFlips: a file in which one bit is another is refused, or its runs are the same.
func TestFlips(t *testing.T) {
	good := write(t, described(t))
	want := lines(t, open(t, good).Runs()...)
	random := rand.New(rand.NewPCG(15, 3))
	every := size.Pick(200, 40, 1)
	for bit := random.IntN(every); bit < 8*len(good); bit += 1 + random.IntN(2*every-1) {
		bad := bytes.Clone(good)
		bad[bit/8] ^= 1 << (bit % 8)
		if got, err := readLines(bad); err == nil && got != want {
			t.Errorf("byte %d is %q for %q: read as other runs\n%s", bit/8, bad[bit/8], good[bit/8], cmp.Diff(want, got))
		}
	}
}

// readLines returns the runs of a file as JSON Lines, if they are well-formed.
func readLines(file []byte) (string, error) {
	f, err := parquetfile.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	enc := tracefmt.NewEncoder(&b)
	for _, run := range f.Runs() {
		if err := enc.Encode(run); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// readAll reads a file to its end, or to its first mistake.
func readAll(file []byte) {
	f, err := parquetfile.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return
	}
	for _, run := range f.Runs() {
		for _, err := range run.Events(1) {
			if err != nil {
				return
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(write(f, described(f)))
	f.Add(write(f, random(50), described(f)))
	f.Fuzz(func(_ *testing.T, file []byte) { readAll(file) })
}
