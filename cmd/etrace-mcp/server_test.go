package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain lets a test start itself as etrace-mcp.
func TestMain(m *testing.M) {
	if os.Getenv("ETRACE_MCP_SERVES") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// client asks a server of the working folder.
type client struct {
	*testing.T
	session *mcp.ClientSession
	calls   int
}

// newClient connects a client with a server of a new folder.
func newClient(t *testing.T) *client {
	t.Helper()
	t.Chdir(t.TempDir())
	s, err := newServer(".")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.folder.Close() })
	ours, theirs := mcp.NewInMemoryTransports()
	if _, err := s.protocol.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &client{T: t, session: session}
}

type values = map[string]any

// call calls a tool. It returns the text of the answer, the cursor of what follows, and whether it is an error, which
// is a line. No answer is larger than 8 kB.
func (c *client) call(tool string, arguments values) (text, cursor string, failed bool) {
	c.Helper()
	c.calls++
	result, err := c.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		if len(err.Error()) > maxAnswer || strings.Contains(err.Error(), "\n") {
			c.Errorf("%s: an error of the protocol of %d bytes", tool, len(err.Error()))
		}
		return err.Error(), "", true
	}
	size, err := json.Marshal(result)
	if err != nil || len(size) > maxAnswer {
		c.Errorf("%s: an answer of %d bytes, expected at most %d: %v", tool, len(size), maxAnswer, err)
	}
	text = result.Content[0].(*mcp.TextContent).Text
	if len(result.Content) > 1 {
		_, cursor, _ = strings.Cut(result.Content[1].(*mcp.TextContent).Text, "continues: ")
	}
	if result.IsError && (strings.Contains(text, "\n") || len(text) > 2*maxError) {
		c.Errorf("%s: an error of %d bytes, expected a line: %q", tool, len(text), text)
	}
	return text, cursor, result.IsError
}

// ask calls a tool that must succeed.
func (c *client) ask(tool string, arguments values) string {
	c.Helper()
	text, _, failed := c.call(tool, arguments)
	if failed {
		c.Fatalf("%s %v: %s", tool, arguments, text)
	}
	return text
}

// refused calls a tool that must fail, and returns the error.
func (c *client) refused(tool string, arguments values) string {
	c.Helper()
	text, _, failed := c.call(tool, arguments)
	if !failed {
		c.Errorf("%s %v: expected an error, got %s", tool, arguments, text)
	}
	return text
}

// pages calls a tool with each cursor that it returns, up to a number of pages.
func (c *client) pages(tool string, arguments values, most int) (text string, pages int) {
	c.Helper()
	for pages < most {
		page, cursor, failed := c.call(tool, arguments)
		if failed {
			c.Fatalf("%s %v: %s", tool, arguments, page)
		}
		text += page
		pages++
		if cursor == "" {
			break
		}
		arguments["cursor"] = cursor
	}
	return text, pages
}

// TestTools: there are at most eight tools, each says what it reads, and their list is as small as an answer.
func TestTools(t *testing.T) {
	c := newClient(t)
	list, err := c.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(list); err != nil || len(text) > maxAnswer || len(list.Tools) > 8 {
		t.Errorf("%d tools in %d bytes, expected at most 8 in %d: %v", len(list.Tools), len(text), maxAnswer, err)
	}
	for _, tool := range list.Tools {
		if writes := map[string]bool{"record": true, "import": true, "render": true}[tool.Name]; tool.Annotations.ReadOnlyHint == writes {
			t.Errorf("%s: read-only is %v", tool.Name, !writes)
		}
	}
}

// TestQuestions: what is asked about a recorded run is answered in at most six calls. By the scenario, the message
// election of 2 arrives when 2 gives up waiting for an answer, so that both 3 and 2 become leaders.
func TestQuestions(t *testing.T) {
	c := newClient(t)
	c.ask("record", values{"algorithm": "bully-buffalo", "scenario": values{"ids": "2,3", "start": "2", "slow": []any{"election:2>3#1=3"}}})
	leaders := scripted{"check", values{"brief": true}, `single-leader +violated .*seq \d+, (\d+)`}
	for question, calls := range map[string][]scripted{
		"Which property is violated, and how?": {
			leaders,
			{"explain", values{"name": "single-leader"}, `No two processes lead in the same term`},
			{"check", values{"only": []any{"single-leader"}, "explain": true}, `3 receives election from 2`},
		},
		"What happened to the message coordinator?": {
			{"replay", values{"find": "receive coordinator"}, `\n(14) .*2 receives coordinator from 3\n$`},
			{"replay", values{"steps": "$1..15"}, `\n15 .*2 elects 3`},
			{"replay", values{"watch": "elected@2"}, `\n12 .*(?s:.*)\n15 `},
		},
		"Who leads at the violation?": {
			leaders,
			{"replay", values{"at": "$1"}, `\n  2 .*leader(?s:.*)\n  3 .*leader`},
		},
		"Why does the second leader not know of the first?": {
			leaders,
			{"replay", values{"past": "$1"}, `timer answer of 2 expires\n(12) +t=3 +2 elects itself`},
			{"query", values{"sql": "select received_seq from messages where type = 'coordinator'"}, `\n14\n$`},
		},
		"How many messages does it take, and how do they end?": {
			{"stats", nil, `messages sent +3\n`},
			{"query", values{"sql": "select fate, count(*) from messages group by fate"}, `\ndelivered,3\n`},
		},
		"What does it look like?": {
			{"render", values{"witness": "single-leader", "output": "why.svg"}, `^why.svg\n(?s:.*)single-leader`},
			{"render", values{"diagram": "ring"}, `^trace.ring.svg\n`},
		},
	} {
		c.answer(question, 0, calls)
	}
	if svg, err := os.ReadFile("why.svg"); err != nil || !strings.Contains(string(svg), "<svg") {
		t.Errorf("no picture: %v", err)
	}
}

// TestPages: the pages of a long answer are whole lines and, joined, that answer.
func TestPages(t *testing.T) {
	c := newClient(t)
	c.ask("record", values{"algorithm": "chang-roberts", "scenario": values{"nodes": 128, "start": "all"}})
	ask := values{"sql": "select seq, kind, process from events order by seq"}
	text, pages := c.pages("query", ask, 100)
	cursor, ok := ask["cursor"].(string)
	if !ok {
		t.Fatalf("%d bytes on one page", len(text))
	}
	count := strings.TrimPrefix(strings.TrimSpace(c.ask("query", values{"sql": "select count(*) from events"})), "count(*)\n")
	if lines := fmt.Sprint(strings.Count(text, "\n") - 1); lines != count || pages < 3 {
		t.Errorf("%s lines on %d pages, expected %s", lines, pages, count)
	}
	for _, other := range []values{
		{"sql": "select 1", "cursor": cursor},
		{"sql": ask["sql"], "cursor": cursor + "0"},
		{"sql": ask["sql"], "cursor": "x"},
		{"sql": ask["sql"], "cursor": "-1.-1"},
		{"sql": ask["sql"], "cursor": "99.100"},
	} {
		if why := c.refused("query", other); !strings.HasPrefix(why, "cursor: ") {
			t.Errorf("%v: %s", other, why)
		}
	}
	if why := c.refused("stats", values{"cursor": cursor}); !strings.HasPrefix(why, "cursor: ") {
		t.Error(why)
	}
}

// TestLongLines: a line that is longer than a page is cut between characters, and what JSON escapes counts as it is sent.
func TestLongLines(t *testing.T) {
	c := newClient(t)
	c.ask("record", nil)
	for _, glyph := range []string{"x", "<", "é", "\u2028", "\U0001F600", "\x01"} {
		text, pages := c.pages("query", values{"sql": fmt.Sprintf("select replace(hex(zeroblob(10000)), '0', '%s')", glyph)}, 100)
		if n := strings.Count(text, glyph); n != 20000+strings.Count("replace(hex(zeroblob(10000)), '0', '')", glyph)+1 && n != 20001 || pages < 3 {
			t.Errorf("%q: %d of them on %d pages", glyph, n, pages)
		}
	}
}

// TestHuge: of an output of many megabytes the beginning is kept, and what is left out is counted.
func TestHuge(t *testing.T) {
	c := newClient(t)
	c.ask("record", nil)
	numbers := "with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000) select i from n"
	text, pages := c.pages("query", values{"sql": numbers}, 1000)
	if !strings.Contains(text, " more bytes were left out") || len(text) > 2*maxOutput || pages > 200 {
		t.Errorf("%d bytes on %d pages, which end in %q", len(text), pages, text[len(text)-100:])
	}
}

// TestPaths: no path leaves the folder, to read or to write, nor does a link.
func TestPaths(t *testing.T) {
	c := newClient(t)
	outside := t.TempDir()
	c.ask("record", nil)
	trace, err := os.ReadFile("trace.db")
	secret := filepath.Join(outside, "secret.db")
	for _, err := range []error{
		err, os.WriteFile(secret, trace, 0o666), os.Symlink(secret, "link.db"), os.Symlink(outside, "folder"),
		os.Symlink(filepath.Join(outside, "new.db"), "dangling.db"), os.Symlink(filepath.Join(outside, "new.svg"), "trace.ring.svg"),
		os.WriteFile("wal.db", trace, 0o666), os.Symlink(filepath.Join(outside, "wal"), "wal.db-wal"), os.Mkdir("inside", 0o777),
		os.WriteFile("*.db", nil, 0o666), os.Symlink(secret, "map"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	hostile := []string{
		secret, "../" + filepath.Base(outside) + "/secret.db", "link.db", "folder/secret.db", "inside/../../x.db", "-", "--help", "-o",
		"wal.db", "inside", ".", "/dev/stdin", "file:" + secret, "trace.db\x00", "dangling.db", "folder/*.db", "in*/../../*", "\xff/../..",
	}
	for _, path := range hostile {
		for tool, arguments := range map[string]values{
			"check": {"traces": []any{path}}, "stats": {"trace": path}, "replay": {"trace": path}, "query": {"trace": path, "sql": "select 1"},
			"render": {"trace": path, "output": "x.svg"}, "import": {"files": []any{path}, "output": "imported.db"}, "record": {"output": path},
		} {
			c.refused(tool, arguments)
		}
		c.refused("render", values{"output": path})
		c.refused("import", values{"files": []any{"trace.db"}, "output": path})
		c.refused("import", values{"files": []any{"trace.db"}, "map": path, "output": "imported.db"})
	}
	c.refused("render", values{"diagram": "ring"})
	c.refused("import", values{"files": []any{"trace.db"}, "map": "map", "output": "imported.db"})
	c.refused("query", values{"sql": "attach '" + secret + "' as o"})
	c.refused("query", values{"sql": "select readfile('" + secret + "')"})
	for _, key := range []string{"exec", "output", "scenario", "json", "", "algorithm", "seed=1 --output", "help"} {
		c.refused("record", values{"scenario": values{key: "x.db"}})
	}
	entries, err := os.ReadDir(outside)
	if after, _ := os.ReadFile(secret); err != nil || len(entries) != 1 || string(after) != string(trace) {
		t.Errorf("outside there is %v, expected the secret as it was: %v", entries, err)
	}
}

// TestErrors: what cannot be done is said in a line. An argument of a megabyte is no reason for a long one.
func TestErrors(t *testing.T) {
	c := newClient(t)
	long := strings.Repeat("x\n", 1<<19)
	for _, wrong := range []struct {
		tool      string
		arguments values
		says      string
	}{
		{"check", nil, "trace.db: no such file"},
		{"query", values{"sql": "select 1", "trace": long[:9000]}, "file name too long"},
		{"query", values{"sql": "select 1", "trace": long}, "expected at most"},
		{"explain", values{"name": long}, "expected at most"},
		{"explain", values{"name": long[:9000]}, "unknown"},
		{"explain", nil, "expected one of"},
		{"explain", values{"name": "bully", "list": "maps"}, "not both"},
		{"record", values{"algorithm": "buly"}, "bully"},
		{"record", values{"scenario": values{"node": 3}}, "nodes"},
		{"record", values{"scenario": values{"nodes": nil}}, "expected a text"},
		{"record", values{"scenario": values{"nodes": "3", "start": "9"}}, "9"},
		{"record", values{"output": "no/such/folder.db"}, "no such file"},
		{"stats", values{"run": "x"}, "run"},
		{"nothing", nil, "unknown tool"},
		{long, nil, "unknown tool"},
		{"check", values{"no": long}, "no"},
	} {
		if text := c.refused(wrong.tool, wrong.arguments); !strings.Contains(text, wrong.says) {
			t.Errorf("%.20s %.60v: %q, expected %q", wrong.tool, wrong.arguments, text, wrong.says)
		}
	}
	c.ask("record", nil)
	c.refused("replay", values{"at": "1", "past": "2"})
	for _, rule := range []string{"never", "never send where\n(", long} {
		c.refused("check", values{"rules": []any{rule}})
	}
	c.ask("query", values{"sql": "-- a comment is no flag\nselect 1"})
	c.refused("query", values{"sql": "delete from events"})
}

// TestProcess: the program serves the folder that it is started in, over stdin and stdout, until stdin ends.
func TestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Dir, command.Env = t.TempDir(), append(os.Environ(), "ETRACE_MCP_SERVES=1")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{T: t, session: session}
	if said := c.ask("record", nil); !strings.Contains(said, "trace.db run 1: bully") {
		t.Error(said)
	}
	c.ask("render", nil)
	if _, err := os.Stat(filepath.Join(command.Dir, "trace.sequence.svg")); err != nil {
		t.Error(err)
	}
	if err := session.Close(); err != nil || !command.ProcessState.Success() {
		t.Errorf("%v, %v", err, command.ProcessState)
	}
}

// TestCancel: a call that the client cancels ends, and the next one is answered.
func TestCancel(t *testing.T) {
	c := newClient(t)
	c.ask("record", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	endless := "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
	if _, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: "query", Arguments: values{"sql": endless}}); err == nil {
		t.Error("an endless query ended")
	}
	c.ask("stats", nil)
}

// TestImport: logs become a run, which is checked.
func TestImport(t *testing.T) {
	c := newClient(t)
	log := `{"format":"etrace/1","time_unit":"delay","members":[{"name":"a","position":1},{"name":"b","position":2}]}
{"seq":1,"time":0,"process":"a","kind":"send","type":"PING","peer":"b","message":1}
{"seq":2,"time":1000000000,"process":"b","kind":"receive","type":"PING","peer":"a","message":1,"cause":1}
{"end":"stopped","events":2}
`
	if err := os.WriteFile("run.jsonl", []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	c.ask("import", values{"files": []any{"run.jsonl"}, "output": "in.db"})
	if state := c.ask("replay", values{"trace": "in.db", "at": "1"}); !strings.Contains(state, "a -> b  PING") {
		t.Error(state)
	}
	if listed := c.ask("explain", values{"list": "maps"}); listed == "" {
		t.Error("no maps")
	}
}
