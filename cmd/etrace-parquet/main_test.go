package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/cmd/etrace-parquet/parquetfile"
	"etrace/tracefmt"
)

// TestMain lets the test start itself as etrace-parquet, to send it signals.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv("ETRACE_PARQUET_ARGS"); ok {
		os.Exit(run(strings.Fields(args), os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// execute runs a command line with a text on stdin.
func execute(stdin, args string) (out, errOut string, status int) {
	var o, e bytes.Buffer
	status = run(strings.Fields(args), strings.NewReader(stdin), &o, &e)
	return o.String(), e.String(), status
}

// succeed runs a command line and fails the test if it fails or writes to stderr.
func succeed(t *testing.T, stdin, args string) string {
	t.Helper()
	out, errOut, status := execute(stdin, args)
	if status != 0 || errOut != "" {
		t.Fatalf("etrace-parquet %s: status %d, %s", args, status, errOut)
	}
	return out
}

// allKinds is the run of etrace explain jsonl, in which every kind and key occurs.
func allKinds(t testing.TB) string {
	t.Helper()
	_, text, _ := strings.Cut(tracefmt.DescribeJSONL(), "\nExample:\n")
	var b strings.Builder
	runs, err := tracefmt.ReadMemory(strings.NewReader(text))
	if err == nil {
		err = tracefmt.NewEncoder(&b).Encode(runs[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	header = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"1","position":1},{"name":"../<2>","position":2}]}
`
	pings = header + `{"seq":1,"time":0,"process":"1","kind":"send","type":"PING","peer":"../<2>","message":1,"lamport":1,"payload":{"n":1.50}}
{"seq":2,"time":1000000000,"process":"../<2>","kind":"receive","type":"PING","peer":"1","message":1,"cause":1,"lamport":2,"payload":{"n":1.50}}
{"seq":3,"time":1000000000,"process":"1","kind":"halt"}
{"end":"stopped","events":3}
`
	slice = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"a","position":1},{"name":"b","position":2}],"slice":true}
{"seq":7,"time":5,"process":"a","kind":"receive","type":"PING","peer":"b","message":3,"cause":2}
{"seq":9,"time":6,"process":"b","kind":"receive","type":"PING","peer":"a","message":4,"cause":null}
`
	empty = `{"format":"etrace/1","time_unit":"ns","members":[]}
{"end":"quiescent","events":0}
`
)

// TestRoundTrip: JSON Lines become Parquet and the same JSON Lines again, through pipes, files and folders.
func TestRoundTrip(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := allKinds(t) + pings + slice + empty + pings
	same := func(how, got string) {
		if diff := cmp.Diff(lines, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", how, diff)
		}
	}
	piped := succeed(t, lines, "to -")
	same("pipes", succeed(t, piped, "cat -"))
	succeed(t, lines, "to runs.parquet")
	same("a file", succeed(t, "", "cat runs.parquet"))
	if err := os.WriteFile("runs.jsonl", []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	succeed(t, "", "to again --input runs.jsonl")
	again, err := os.ReadFile("again")
	if string(again) != piped {
		t.Errorf("a file of any name: %v, %d bytes, expected %d", err, len(again), len(piped))
	}
	for _, keys := range append([]string{""}, parquetfile.Keys()...) {
		folder := "by" + keys
		succeed(t, lines, "to "+folder+" --partition "+strings.TrimSuffix("run,"+keys, ","))
		if err := os.WriteFile(filepath.Join(folder, "_SUCCESS"), nil, 0o666); err != nil { // as Spark does
			t.Fatal(err)
		}
		same(folder, succeed(t, "", "cat "+folder))
	}
	if err := os.Symlink("byprocess", "link"); err != nil {
		t.Fatal(err)
	}
	same("a link to a folder", succeed(t, "", "cat link"))
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	go os.WriteFile("pipe", []byte(piped), 0)
	same("a named pipe", succeed(t, "", "cat pipe"))
}

// TestOldVersion: a file of version 1, which has no sums, is read as it was.
func TestOldVersion(t *testing.T) {
	want, err := os.ReadFile("testdata/version-1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), succeed(t, "", "cat testdata/version-1.parquet")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestOpenRun: a run without an end is kept so, and that is said.
func TestOpenRun(t *testing.T) {
	lines, _, _ := strings.Cut(pings, `{"end"`)
	file, said, status := execute(lines, "to -")
	want := "etrace-parquet: -: run 1 has no end: it was cut, or is still being recorded\n"
	if said != want || status != 0 {
		t.Errorf("status %d, %q, expected %q", status, said, want)
	}
	if again := succeed(t, file, "cat -"); again != lines {
		t.Errorf("got\n%s\nwant\n%s", again, lines)
	}
}

// TestRefused: what cannot be done is said in a line, with the place and what was expected; nothing is written.
func TestRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	good := succeed(t, pings, "to -")
	files := map[string]string{
		"good.parquet": good, "cut.parquet": good[:len(good)-1], "short.parquet": "PAR1PAR", "other.parquet": "PAR2" + good[4:],
		"notes.txt": "mine", "twice/a.parquet": good, "twice/b.parquet": good, "nothing/b.txt": "",
		"ill.parquet": ill(t), "trace.jsonl": pings,
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	succeed(t, pings, "to parts --partition run,process")
	if err := os.Remove("parts/run=1/process=1/part-0.parquet"); err != nil {
		t.Fatal(err)
	}
	for name, cut := range map[string]string{"less": "less/run=2", "damaged": ""} {
		succeed(t, pings+pings, "to "+name+" --partition run,type")
		if err := os.RemoveAll(cut); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("damaged/_runs.json", []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := listing(t)
	for _, c := range []struct{ stdin, args, want string }{
		{"", "to x", `-: no run, expected a first line {"format":"etrace/1", …}`},
		{"hello\n", "to x", "-: line 1: "},
		{header + "{\"seq\":1,\n", "to x", "-: line 2: the line ends inside a JSON object"},
		{
			pings + header + `{"seq":2,"time":0,"process":"1","kind":"halt"}` + "\n", "to x",
			"-: line 7: seq 2: seq 2 follows seq 0, expected 1",
		},
		{pings + "{", "to x --partition run", "-: line 6: "},
		{good, "to x", "-: is Parquet already, expected JSON Lines of etrace"},
		{
			"SQLite format 3\x00 and more", "to x",
			"-: is a database, expected JSON Lines: etrace export TRACE --run all | etrace-parquet to FILE",
		},
		{pings, "to good.parquet", "good.parquet: is a trace; expected another name, or --force to replace it"},
		{
			pings, "to notes.txt",
			"notes.txt: exists, and etrace does not know it as its own; expected another name, or --force to replace it",
		},
		{
			"", "to trace.jsonl --input trace.jsonl --force",
			"trace.jsonl: is what is read here and is never overwritten; expected another name",
		},
		{pings, "to parts", "parts: is a directory, expected a file"},
		{pings, "to parts --partition run", "parts: exists already, expected the name of a new folder"},
		{pings, "to x --partition run --force", "--force: a folder is not replaced, expected the name of a new one"},
		{pings, "to - --partition run", "--partition run: expected the name of a new FOLDER, not stdout"},
		{
			pings, "to x --partition type",
			`--partition: "type": expected run, or run and one of the columns process, kind, type, peer or term`,
		},
		{pings, "to x --partition run,message", `--partition: unknown column "message"`},
		{pings, "to x --partition=", `--partition: "": expected run`},
		{pings, "to no/x", "no/x: "},
		{"", "to x --input none.jsonl", "none.jsonl: no such file or directory"},
		{pings, "to", "to: expected the FILE or FOLDER to write"},
		{pings, "to x y", `to: unexpected argument "y", expected the FILE or FOLDER to write`},
		{pings, "from x", `unknown command "from"`},
		{pings, "to x --nonsense", "to: unknown flag: --nonsense; see etrace-parquet to --help"},
		{"", "cat", "cat: expected the FILE or FOLDER to read"},
		{"", "cat none.parquet", "none.parquet: no such file or directory"},
		{"", "cat -", "-: the file is too short, expected a Parquet file"},
		{pings, "cat -", "-: the file does not begin with PAR1, expected a Parquet file"},
		{
			"", "cat cut.parquet",
			"cut.parquet: the file does not end in PAR1, expected the end of a Parquet file: it was cut",
		},
		{"", "cat short.parquet", "short.parquet: the file is too short, expected a Parquet file"},
		{"", "cat other.parquet", "other.parquet: "},
		{"", "cat ill.parquet", "ill.parquet: run 1 seq 3: seq 3 follows seq 1, expected 2"},
		{"", "cat twice", "twice: two files have a run 1, expected the files of one trace"},
		{"", "cat nothing", "nothing: no Parquet files in the folder, expected names that end in .parquet"},
		{"", "cat less", "less: _runs.json lists run 2, expected its files"},
		{"", "cat damaged", "damaged: _runs.json: "},
		{"", "cat parts", "parts: run 1: the files have 1 of its 3 events, expected all of its parts"},
	} {
		out, said, status := execute(c.stdin, c.args)
		if status != 2 || out != "" || !strings.HasPrefix(said, "etrace-parquet: "+c.want) || strings.Count(said, "\n") != 1 {
			const form = "etrace-parquet %s: status %d, printed %q, said\n%swant\netrace-parquet: %s"
			t.Errorf(form, c.args, status, out, said, c.want)
		}
	}
	if diff := cmp.Diff(before, listing(t)); diff != "" {
		t.Errorf("files (-before +after)\n%s", diff)
	}
	for target, lost := range map[string]string{"good.parquet": "a trace", "notes.txt": "a file that etrace does not know as its own"} {
		_, said, status := execute(pings, "to "+target+" --force")
		if want := "etrace-parquet: " + target + ": --force replaced " + lost + "\n"; status != 0 || said != want {
			t.Errorf("%s: status %d, said %q, want %q", target, status, said, want)
		}
	}
}

// ill is a Parquet file of a run that is not well-formed.
func ill(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := parquetfile.NewWriter(&b)
	err := w.Begin(&tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}}})
	for _, seq := range []tracefmt.Seq{1, 3} {
		if err == nil {
			err = w.Write(&tracefmt.Event{Seq: seq, Kind: tracefmt.Note, Process: 1})
		}
	}
	if err == nil {
		err = w.Finish(tracefmt.Stopped)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// listing are the names in the folder of the test, hidden ones too.
func listing(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, _ os.DirEntry, err error) error {
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestHelp: every command has examples.
func TestHelp(t *testing.T) {
	for _, args := range []string{"", "--help", "to --help", "cat --help", "help to"} {
		if out := succeed(t, "", args); !strings.Contains(out, "Examples:\n  etrace") {
			t.Errorf("etrace-parquet %s has no examples:\n%s", args, out)
		}
	}
}

// endedBy starts a command, sends it a part of a run, and then the signal. It returns the exit status, -1 after a
// kill, and what the command said.
func endedBy(t *testing.T, signal os.Signal, args string) (status int, said string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ETRACE_PARQUET_ARGS="+args)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(in, format, args...)
		}
	}
	write("%s", header)
	for seq := 1; seq <= 20_000; seq++ { // more than a pipe holds, so that some is read
		write("{\"seq\":%d,\"time\":0,\"process\":\"1\",\"kind\":\"note\"}\n", seq)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is returned
	return cmd.ProcessState.ExitCode(), errOut.String()
}

// TestInterrupted: a command that reads is ended by Ctrl-C, says so, and leaves nothing.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{"to run.parquet", "to parts --partition run,process", "cat -"} {
		if status, said := endedBy(t, syscall.SIGINT, args); status != 2 || said != "etrace-parquet: interrupted\n" {
			t.Errorf("etrace-parquet %s: status %d, said %q", args, status, said)
		}
	}
	if left := listing(t); len(left) > 1 {
		t.Errorf("left: %q", left)
	}
}

// TestKilled: what a killed command leaves in a folder, the next command there removes.
func TestKilled(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{"to run.parquet", "to parts --partition run,process"} {
		if status, said := endedBy(t, syscall.SIGKILL, args); status != -1 || said != "" {
			t.Errorf("etrace-parquet %s: status %d, said %q", args, status, said)
		}
	}
	for _, name := range listing(t) {
		if name != "." && !strings.HasPrefix(name, ".") {
			t.Errorf("a killed command left %s", name)
		}
	}
	succeed(t, pings, "to next.parquet")
	if left := listing(t); len(left) != 2 {
		t.Errorf("left after the next command: %q, expected next.parquet alone", left)
	}
}

// FuzzCat: whatever a file is, cat ends, and what it accepts is well-formed and becomes the same Parquet again.
func FuzzCat(f *testing.F) {
	for _, lines := range []string{allKinds(f), pings + slice + empty} {
		var file bytes.Buffer
		if status := run([]string{"to", "-"}, strings.NewReader(lines), &file, io.Discard); status != 0 {
			f.Fatal(status)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		lines, _, status := execute(string(file), "cat -")
		if status != 0 || lines == "" { // a file without runs
			return
		}
		again, said, status := execute(lines, "to -")
		if status != 0 {
			t.Fatalf("%s\n%s", said, lines)
		}
		if diff := cmp.Diff(lines, succeed(t, again, "cat -")); diff != "" {
			t.Errorf("(-first +again)\n%s", diff)
		}
	})
}
