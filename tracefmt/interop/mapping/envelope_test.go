package mapping_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/readings"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/logs"
)

// wrappings write a line of a source as collectors do; n is its number in the file.
var wrappings = []struct {
	name string
	wrap func(line, source string, n int) string
}{
	{"compose", func(line, source string, _ int) string { return fmt.Sprintf("%-24s | %s", source, line) }},
	{"kubectl", func(line, source string, _ int) string { return fmt.Sprintf("[pod/%s/server] %s", source, line) }},
	{"cri", func(line, _ string, n int) string {
		return fmt.Sprintf("2026-03-01T10:%02d:%02d.123456789Z stdout F %s", n/60, n%60, line)
	}},
	{"syslog", func(line, source string, n int) string {
		return fmt.Sprintf("<134>1 2026-03-01T10:%02d:%02d.1Z %s raft 77 - - %s", n/60, n%60, source, line)
	}},
	{"journald", func(line, source string, n int) string {
		return fmt.Sprintf("Mar  1 10:%02d:%02d %s raft[77]: %s", n/60, n%60, source, line)
	}},
	{"json-file", func(line, _ string, n int) string {
		return object(map[string]any{"log": line + "\n", "stream": "stdout", "time": fmt.Sprintf("2026-03-01T10:%02d:%02d.5Z", n/60, n%60)})
	}},
	{"journald-json", func(line, source string, _ int) string {
		return object(map[string]any{"MESSAGE": line, "__REALTIME_TIMESTAMP": "1772359200000000", "_HOSTNAME": source, "PRIORITY": "6"})
	}},
	{"kibana", func(line, source string, _ int) string {
		return object(map[string]any{
			"_index":  "logs",
			"_source": map[string]any{"message": line, "kubernetes": map[string]any{"pod": map[string]any{"name": source}}},
		})
	}},
	{"gcp", func(line, source string, _ int) string {
		return object(map[string]any{
			"textPayload": line, "timestamp": "2026-03-01T10:00:00Z",
			"resource": map[string]any{"labels": map[string]any{"pod_name": source}},
		})
	}},
	{"loki", func(line, source string, _ int) string {
		return object(map[string]any{"line": line, "timestamp": "2026-03-01T10:00:00Z", "labels": map[string]any{"pod": source}})
	}},
	{"grep", func(line, _ string, n int) string { return fmt.Sprintf("%d:%s", n, line) }},
	{"indented", func(line, _ string, _ int) string { return "    " + line }},
	{"compose around json-file", func(line, source string, _ int) string {
		return fmt.Sprintf("%-24s | ", source) + object(map[string]any{"log": line + "\n", "stream": "stdout", "time": "2026-03-01T10:00:00Z"})
	}},
}

func object(fields map[string]any) string {
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // it is of texts
	}
	return string(text)
}

// TestEnvelopes: the examples of ready maps are read out of each envelope as they are without it.
func TestEnvelopes(t *testing.T) {
	for _, w := range wrappings {
		for _, name := range []string{
			"etcd", "redis-sentinel", "hashicorp-raft-text", "eliben-raft", "zookeeper", "etcd-raft-lines", "ratis",
			"mongodb",
		} {
			t.Run(w.name+" "+name, func(t *testing.T) {
				if diff := cmp.Diff(wrapped(t, name, nil), wrapped(t, name, w.wrap)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// wrapped explains the example of a ready map in an envelope, nil for none.
func wrapped(t *testing.T, name string, wrap func(line, source string, n int) string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "ready", name+".*log"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no example of %s: %v", name, err)
	}
	inputs := make([]*interop.Input, len(files))
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(file)
		if wrap != nil {
			var joined strings.Builder
			for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
				joined.WriteString(wrap(line, strings.TrimSuffix(base, ".log"), n+1) + "\n")
			}
			data = []byte(joined.String())
		}
		inputs[i], err = interop.NewInput(base, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	if _, err := interop.Import(context.Background(), logs.Format, interop.Join(inputs...), &readings.Runs{},
		interop.Settings{Explain: &said}); err != nil {
		t.Fatal(err)
	}
	return said.String()
}
