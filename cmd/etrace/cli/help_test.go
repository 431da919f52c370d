package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"etrace/fixtures/size"
)

// helpFiles writes the files that the examples of help texts name. It writes small ones in place of a user's
// files.
func helpFiles(t *testing.T) {
	t.Helper()
	mustWrite(t, "node", "#!/bin/sh\nwhile read -r line; do :; done\n")
	if err := os.Chmod("node", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{
		"record --exec ./node --nodes 3 --lockstep --until 1 -o nodes.db", "record", "record --until 20",
		"record -o runs.db --ids 1-4 --down 4 --start 2 --hunt single-leader bully-buffalo",
		"record -o runs.db", "record -o runs.db", "record -o before.db", "record -o after.jsonl", "record -o a.db", "record -o b.db",
		"record -o run.jsonl", "record -o run.db",
	} {
		attempt(t, command)
	}
	mustWrite(t, "late-answer.yaml", "algorithm: bully\nids: 1-4\nslow: OK:3>1=9\n")
	mustWrite(t, "tables.yaml", strings.Replace(jsonSuite, "name: explained", `name: "basu, n = 6"`, 1))
	for _, i := range []string{"0", "1"} {
		found, _ := runOf(t, "suite tables.yaml --shard "+i+"/2")
		mustWrite(t, "tables-"+i+".json", found)
	}
	for _, folder := range []string{"found", "swept"} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range []string{"0", "1"} {
		attempt(t, "sweep chang-roberts --nodes 4 --order all --start all -o swept/"+i+".db --shard "+i+"/2")
	}
	mustWrite(t, "rules.txt", "never send where not live(process)\n")
	mustWrite(t, "service.log", jsonLog)
	for _, log := range []string{"n1.log", "n2.log", "n3.log"} {
		mustWrite(t, log, "became leader\n")
	}
	attempt(t, "plan runs.db --shards 2 -o plan.json")
	attempt(t, "plan run.db --except default -e 'each r: receive was preceded by s: send(message = r.message)' --shards 2 -o run-plan.json")
	for _, i := range []string{"0", "1"} {
		found, _ := runOf(t, "check --plan plan.json --shard "+i)
		mustWrite(t, filepath.Join("found", i+".json"), found)
	}
	mustWrite(t, "raft.yaml", "process: '${file}'\nevents:\n  - {when: {text: became leader}, state: {role: leader}}\n")
}

// attempt executes a command line and returns its error output.
func attempt(t *testing.T, command string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if Run(words(command), strings.NewReader(""), &out, &errOut) == exitFail {
		return errOut.String()
	}
	return ""
}

// placeholders are examples that name what only their reader has.
var placeholders = regexp.MustCompile(`'\.\.\.'|\*\.yaml`)

// TestExamplesWork executes the examples in the help of every command.
func TestExamplesWork(t *testing.T) {
	size.SkipQuick(t)
	files := t.TempDir()
	t.Run("files", func(t *testing.T) {
		t.Chdir(files)
		helpFiles(t)
	})
	count := 0
	for _, cmd := range newApp(t).root().Commands() {
		if cmd.Name() == "lab" {
			continue // only programs of make release have the page
		}
		t.Run(cmd.Name(), func(t *testing.T) {
			folder := t.TempDir()
			if err := os.CopyFS(folder, os.DirFS(files)); err != nil {
				t.Fatal(err)
			}
			t.Chdir(folder)
			for example := range strings.Lines(cmd.Example) {
				count++
				tryExample(t, strings.TrimSpace(example))
			}
		})
	}
	if count < 25 {
		t.Errorf("only %d examples", count)
	}
}

// TestTopicsWork executes the commands of etrace explain TOPIC; its pages and properties exist.
func TestTopicsWork(t *testing.T) {
	size.SkipQuick(t)
	docs, err := filepath.Abs("../../../docs")
	if err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	t.Chdir(files)
	helpFiles(t)
	const log = "2026-05-01T10:00:00Z INFO became leader term=1\n"
	mustWrite(t, "node1.log", log)
	mustWrite(t, "log.yaml", succeeds(t, "import node1.log --suggest"))
	list, _ := runOf(t, "list topics")
	if strings.Count(list, "\n") < 15 {
		t.Errorf("only these topics:\n%s", list)
	}
	for line := range strings.Lines(list) {
		name := strings.Fields(line)[0]
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(files)); err != nil {
			t.Fatal(err)
		}
		t.Chdir(folder)
		explanation, _ := runOf(t, "explain "+name)
		_, explanation, _ = strings.Cut(explanation, name+" (topic)")
		_, commands, _ := strings.Cut(explanation, "\nCommands:\n")
		commands, pages, _ := strings.Cut(commands, "\nPages: ")
		for command := range strings.Lines(commands) {
			tryExample(t, strings.TrimSpace(strings.ReplaceAll(command, "node*.log", "node1.log")))
		}
		for page := range strings.FieldsSeq(pages) {
			if _, err := os.Stat(filepath.Join(docs, "..", page)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func tryExample(t *testing.T, example string) {
	t.Helper()
	command, ok := strings.CutPrefix(example, "etrace ")
	if !ok {
		t.Errorf("the example %q is no command of etrace", example)
	}
	for _, shell := range []string{" > ", " | ", " < "} {
		command, _, _ = strings.Cut(command, shell)
	}
	command, _, _ = strings.Cut(command, "  #")
	if placeholders.MatchString(command) {
		return
	}
	if failure := attempt(t, command); failure != "" {
		t.Errorf("%s: %s", command, failure)
	}
}

// TestHelpListsEveryFlagOnce: flags in groups are still all flags.
func TestHelpListsEveryFlagOnce(t *testing.T) {
	for _, cmd := range newApp(t).root().Commands() {
		usage := cmd.UsageString()
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			nameOnly := regexp.MustCompile(`(?m)^(?:  --\S+ +)*  --` + f.Name + `(?: +--\S+)* *$`)
			if n := strings.Count(usage, flagColumn(f)) + len(nameOnly.FindAllString(usage, -1)); n != 1 {
				t.Errorf("%s --help lists --%s %d times", cmd.Name(), f.Name, n)
			}
		})
	}
	record := newApp(t).recordCommand().UsageString()
	for _, title := range []string{"The scenario", "A hunt", "All orders", "More of the scenario (etrace explain FLAG)", "Further flags"} {
		if !strings.Contains(record, "\n"+title+":\n") {
			t.Errorf("record --help has no group %q:\n%s", title, record)
		}
	}
}

// TestHelpIsShort: help fits on a page; longer explanations belong in etrace explain.
func TestHelpIsShort(t *testing.T) {
	const mostWords, mostOfFlag, mostExamples = 4000, 12, 3
	words := 0
	for _, cmd := range newApp(t).root().Commands() {
		if slices.Contains([]string{"list", "explain", "completion", "help"}, cmd.Name()) {
			continue
		}
		words += len(strings.Fields(cmd.Long + cmd.UsageString()))
		if n := len(strings.Split(cmd.Example, "\n")); n > mostExamples {
			t.Errorf("%s --help has %d examples, expected at most %d", cmd.Name(), n, mostExamples)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			if n := len(strings.Fields(usage)); n > mostOfFlag {
				t.Errorf("%s --%s has %d words, expected at most %d: %s", cmd.Name(), f.Name, n, mostOfFlag, usage)
			}
		})
	}
	if words > mostWords {
		t.Errorf("the commands' help has %d words, expected at most %d", words, mostWords)
	}
}

// flagColumn is how a line of help begins that describes a flag.
func flagColumn(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "\n  -" + f.Shorthand + ", --" + f.Name
	}
	end := "["
	if f.NoOptDefVal == "" || f.Value.Type() == "bool" {
		end = " "
	}
	return "\n      --" + f.Name + end
}
