package mapping_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/fixtures/size"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/mapping"
)

// logFile is a log of a test.
type logFile struct {
	name string
	data []byte
}

type seekable struct{ *bytes.Reader }

func (seekable) Close() error { return nil }

// partsOf returns the parts of an import of the logs by a mapping.
func partsOf(logs []logFile, m string, n int) (parts [][]byte, err error) {
	for i := range n {
		slice := &interop.Slice{Index: i, Count: n, Map: m, Tool: "test"}
		for _, f := range logs {
			slice.Files = append(slice.Files, interop.SlicedFile{
				Name: f.name, Size: int64(len(f.data)),
				Open: func() (io.ReadSeekCloser, error) { return seekable{bytes.NewReader(f.data)}, nil },
			})
		}
		var part bytes.Buffer
		if err := mapping.Format.Slicer.Write(context.Background(), slice, &part); err != nil {
			return nil, err
		}
		parts = append(parts, part.Bytes())
	}
	return parts, nil
}

// imported has the results of an import: the runs, the events of each line, and the report.
type imported struct{ runs, lines, report string }

// importAs imports a file or files in a format.
func importAs(format interop.Format, input *interop.Input, settings interop.Settings) (got imported, err error) {
	var out, lines bytes.Buffer
	settings.Explain = &lines
	encoder := tracefmt.NewEncoder(&out)
	report, err := interop.Import(context.Background(), format, input, encoder, settings)
	said, _ := json.MarshalIndent(report, "", " ")
	return imported{out.String(), lines.String(), string(said) + strings.Join(report.Cautions, "\n")}, err
}

// wholeImport imports all logs at once.
func wholeImport(logs []logFile, m string) (imported, error) {
	var inputs []*interop.Input
	var copies []string
	for i, f := range logs {
		if len(f.data) > 0 && slices.ContainsFunc(logs[:i], func(earlier logFile) bool { return bytes.Equal(earlier.data, f.data) }) {
			copies = append(copies, f.name)
			continue
		}
		input, err := interop.NewInput(f.name, bytes.NewReader(f.data))
		if err != nil {
			return imported{}, err
		}
		inputs = append(inputs, input)
	}
	return importAs(mapping.Format, interop.Join(inputs...), interop.Settings{Options: map[string]string{"map": m}, Copies: copies})
}

// joinedImport imports the parts.
func joinedImport(parts [][]byte) (imported, error) {
	var files []interop.PartFile
	for i, part := range parts {
		files = append(files, interop.PartFile{
			Name: fmt.Sprintf("part-%d", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(part)), nil },
		})
	}
	joined, err := mapping.Format.Slicer.Join("test", files)
	if err != nil {
		return imported{}, err
	}
	defer joined.Close()
	return importAs(joined.Format, interop.Join(joined.Inputs...), interop.Settings{Copies: joined.Copies})
}

// sameInParts fails unless the joined parts give what an import of all logs at once gives, errors included.
func sameInParts(t rapid.TB, logs []logFile, m string, n int) {
	t.Helper()
	want, wrong := wholeImport(logs, m)
	parts, err := partsOf(logs, m, n)
	var got imported
	if err == nil {
		got, err = joinedImport(parts)
	}
	if (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error() {
		t.Fatalf("%d parts: error %v, want %v", n, err, wrong)
	}
	if err != nil {
		return
	}
	for _, c := range [...]struct{ name, want, got string }{
		{"lines", want.lines, got.lines}, {"runs", want.runs, got.runs}, {"report", want.report, got.report},
	} {
		if d := diff.Diff(c.want, c.got); d != "" {
			t.Fatalf("%d parts: %s\n%s", n, c.name, d)
		}
	}
}

// alsoInParts compares the import of a test with that of parts.
func alsoInParts(t *testing.T, m string, logs ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "map.yaml")
	if err := os.WriteFile(file, []byte(m), 0o666); err != nil {
		t.Fatal(err)
	}
	var files []logFile
	for i := 0; i < len(logs); i += 2 {
		files = append(files, logFile{logs[i], []byte(logs[i+1])})
	}
	for _, n := range size.Pick([]int{3}, []int{2, 5}, []int{1, 2, 3, 4, 5, 6, 7}) {
		sameInParts(t, files, file, n)
	}
}

// readyLogs are the examples of the ready maps, by name.
func readyLogs(t *testing.T) map[string][]logFile {
	t.Helper()
	logs := make(map[string][]logFile)
	for _, m := range mapping.Ready().All() {
		files, err := filepath.Glob(filepath.Join("testdata", "ready", m.Name+".*log"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			logs[m.Name] = append(logs[m.Name], logFile{filepath.Base(file), data})
		}
	}
	return logs
}

// TestParts: for each ready map and its example, changed at random, the parts of an import give what the import gives.
func TestParts(t *testing.T) {
	ready := readyLogs(t)
	names := mapping.Ready().Names()
	for _, name := range names {
		for n := 1; n <= 7; n++ {
			sameInParts(t, ready[name], name, n)
		}
	}
	size.Check(t, 10, 60, 3000, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "map")
		logs := slices.Clone(ready[name])
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(logs)-1).Draw(t, "file")
			logs[i].data = changed(t, logs[i].data)
			if rapid.IntRange(0, 9).Draw(t, "copy") == 0 {
				logs = append(logs, logFile{fmt.Sprintf("x%d.log", len(logs)), logs[i].data})
			}
		}
		sameInParts(t, logs, name, rapid.IntRange(1, 7).Draw(t, "parts"))
	})
}

// TestPartsFlipped: a part with a changed byte, without a line or with a line twice is refused.
func TestPartsFlipped(t *testing.T) {
	parts, err := partsOf(readyLogs(t)["hashicorp-raft"], "hashicorp-raft", 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := joinedImport(parts); err != nil {
		t.Fatal(err)
	}
	size.Check(t, 100, 1000, 20_000, func(t *rapid.T) {
		flipped := slices.Clone(parts)
		i := rapid.IntRange(0, len(parts)-1).Draw(t, "part")
		lines := slices.Collect(bytes.Lines(parts[i]))
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		switch rapid.IntRange(0, 2).Draw(t, "damage") {
		case 0:
			lines = slices.Delete(lines, at, at+1)
		case 1:
			lines = slices.Insert(lines, at, lines[at])
		case 2:
			line := bytes.Clone(lines[at])
			line[rapid.IntRange(0, len(line)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			lines[at] = line
		}
		flipped[i] = bytes.Join(lines, nil)
		if _, err := joinedImport(flipped); err == nil {
			t.Fatalf("line %d of part %d: no error", at+1, i)
		}
	})
}

// changed returns a log with a change that a reader has to notice.
func changed(t *rapid.T, log []byte) []byte {
	lines := slices.Collect(bytes.Lines(log))
	if len(lines) == 0 {
		return log
	}
	// Each change is one after which the reader of a slice may lose what the reader of the whole file knows.
	at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	insert := func(line string) []byte { return bytes.Join(slices.Insert(lines, at, []byte(line)), nil) }
	switch rapid.SampledFrom([]string{
		"unended", "lost", "twice", "backward", "blank", "mark", "restart", "bytes", "coloured", "packed", "order mark",
		"returns", "go test", "empty", "members",
	}).Draw(t, "change") {
	case "unended":
		return bytes.TrimRight(log, "\n")
	case "lost":
		return bytes.Join(slices.Delete(lines, at, at+1), nil)
	case "twice":
		return slices.Concat(log, []byte("\n"), log)
	case "backward":
		slices.Reverse(lines)
		return bytes.Join(lines, nil)
	case "blank":
		return insert("\n")
	case "mark":
		return insert("... 12 lines omitted ...\n")
	case "restart":
		return insert("--- restart ---\n")
	case "bytes":
		return insert("\xff\xfe \x1f\x8b\n")
	case "coloured":
		return insert("\x1b[31mred\x1b[0m\n")
	case "order mark":
		return insert("\uFEFF" + string(lines[at]))
	case "returns":
		return bytes.ReplaceAll(log, []byte("\n"), []byte("\r\n"))
	case "go test":
		return insert("=== RUN   TestSome\n")
	case "empty":
		return nil
	case "members":
		return insert("peers=[n1,n2,n9]\n")
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(log)
	_ = w.Close()
	return packed.Bytes()
}

// TestPartsForged: a head that claims more parts than an import can have is refused. A gzip bomb is refused, too.
func TestPartsForged(t *testing.T) {
	parts, err := partsOf(readyLogs(t)["hashicorp-raft"], "hashicorp-raft", 1)
	if err != nil {
		t.Fatal(err)
	}
	head, records, _ := bytes.Cut(parts[0], []byte("\n"))
	var bomb bytes.Buffer
	packed := gzip.NewWriter(&bomb)
	packed.Write(head)
	for range 32 {
		packed.Write(bytes.Repeat([]byte(" "), 1<<20))
	}
	packed.Close()
	// The forged head has a sum that fits.
	many := bytes.Replace(head, []byte(`"of":1,`), []byte(`"of":2147483648,`), 1)
	at := bytes.LastIndex(many, []byte(`"sum":"`)) + len(`"sum":"`)
	unsealed := append(slices.Clone(many[:at]), `"}`...)
	sum := sha256.Sum256(unsealed)
	many = fmt.Appendf(slices.Clone(many[:at]), "%x\"}\n", sum[:16])
	for want, part := range map[string][]byte{
		"gzip: the file unpacks to more than 200 times its size": bomb.Bytes(),
		"part 0 of 2147483648, expected at most 1048576 parts":   append(many, records...),
	} {
		if _, err := joinedImport([][]byte{part}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
