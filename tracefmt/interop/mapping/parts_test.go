package mapping_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/readings"
	"etrace/fixtures/size"
	"etrace/tracefmt/interop/mapping"
)

// readyLogs are the examples of the ready maps, by name.
func readyLogs(t *testing.T) map[string][]readings.File {
	t.Helper()
	logs := make(map[string][]readings.File)
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
			logs[m.Name] = append(logs[m.Name], readings.File{Name: filepath.Base(file), Data: data})
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
			readings.SameInParts(t, ready[name], name, n)
		}
	}
	size.Check(t, 10, 60, 3000, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "map")
		logs := slices.Clone(ready[name])
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			i := rapid.IntRange(0, len(logs)-1).Draw(t, "file")
			logs[i].Data = changed(t, logs[i].Data)
			if rapid.IntRange(0, 9).Draw(t, "copy") == 0 {
				logs = append(logs, readings.File{Name: fmt.Sprintf("x%d.log", len(logs)), Data: logs[i].Data})
			}
		}
		readings.SameInParts(t, logs, name, rapid.IntRange(1, 7).Draw(t, "parts"))
	})
}

// TestPartsFlipped: a part with a changed byte, without a line or with a line twice is refused.
func TestPartsFlipped(t *testing.T) {
	parts, err := readings.PartsOf(readyLogs(t)["hashicorp-raft"], "hashicorp-raft", 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readings.ImportParts(parts); err != nil {
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
		if _, err := readings.ImportParts(flipped); err == nil {
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
	parts, err := readings.PartsOf(readyLogs(t)["hashicorp-raft"], "hashicorp-raft", 1)
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
		if _, err := readings.ImportParts([][]byte{part}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
