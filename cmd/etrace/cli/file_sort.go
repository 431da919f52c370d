package cli

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/record/scenario"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracedb"
)

// fileSort is a kind of file that etrace reads or writes, such as a plan or a PNG picture. An error names it when a
// file of the wrong kind is given.
type fileSort struct {
	description string
	// use is the command or program that reads FILE.
	use string
	// matches reports whether the first bytes of a file show this kind.
	matches func(head []byte) bool
}

const (
	// shown is the hint for reports and pictures, which etrace cannot read.
	shown = "etrace reads the trace that it is about"
	// The kinds of files that commands and flags read, as errors name them.
	aTrace, results, aPlan, aSummary = "an etrace trace", "results of etrace sweep", "a plan of shards", "a summary of a shard"
	aSuite, aMapping, aScenario      = "a suite", "a mapping of a log", "a scenario"
	aLog, rules, compressed, aPart   = "a log", "rules", "a compressed file", "a part of an import"
)

// fileSorts lists the types of files. A file is recognised by its beginning, and the first match decides.
var fileSorts = []fileSort{
	{aTrace, "etrace check FILE, and for every other command that reads traces", sqlite(tracedb.ApplicationID)},
	{aTrace, "etrace check FILE, and for every other command that reads traces", begins(`\{\s*"format":\s*"etrace/`)},
	{results, "etrace merge FILE, which prints their table", sqlite(tracedb.ResultsID)},
	{aPlan, "etrace check --plan FILE --shard I", begins(`\{\s*"format":\s*"etrace\.plan/`)},
	{aSummary, "etrace merge FILE", begins(`\{\s*"format":\s*"etrace\.shard/`)},
	{aPart, "etrace import --join FILE", begins(`\{\s*"format":\s*"etrace\.import-part/`)},
	{aPart, "etrace import --order FILE", begins(`\{\s*"format":\s*"etrace\.import-share/`)},
	{aPart, "etrace import --order FILE", begins(`\{\s*"format":\s*"etrace\.import-match/`)},
	{aPart, "etrace import --piece I/N FILE", begins(`\{\s*"format":\s*"etrace\.import-order/`)},
	{"a report of etrace", "other programs; " + shown, begins(`\{\s*"format":\s*"etrace\.`)},
	{"a report in JUnit's XML", "other programs; " + shown, begins(`(?:<\?xml[^>]*>\s*)?<testsuites?\b`)},
	{"a PNG picture", "viewers of pictures; " + shown, magic("\x89PNG")},
	{
		"an SVG picture", "viewers of pictures; " + shown,
		begins(`(?s:(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!DOCTYPE svg[^>]*>\s*)?(?:<!--.*?-->\s*)*<svg\b)`),
	},
	{"a page", "browsers; " + shown, begins(`(?i:<!DOCTYPE html|<html\b)`)},
	{compressed, "etrace import FILE, which unpacks it", magic("\x1f\x8b")},
	{
		rules, "etrace check --spec FILE",
		begins(`(?:#[^\n]*\n\s*)*(?:(?:rule|fluent|never|each|unique|monotone|exactly|eventually)\s+\w|at (?:most|least|end)\s)`),
	},
	{aSuite, "etrace suite FILE", keyed("suite|cases")},
	{aMapping, "etrace import LOG --map FILE", keyed("match|lines|sign|events")},
	{aScenario, "etrace record --scenario FILE", keyed("algorithm|ids|nodes|start|topology|params")},
}

// magic matches files that begin with the prefix.
func magic(prefix string) func(head []byte) bool {
	return func(head []byte) bool { return bytes.HasPrefix(head, []byte(prefix)) }
}

// begins matches files whose first text, after white space, matches the pattern.
func begins(pattern string) func(head []byte) bool {
	return regexp.MustCompile(`\A\s*` + pattern).Match
}

// keyed matches YAML files with one of the keys, KEY|KEY, at the beginning of a line.
func keyed(keys string) func(head []byte) bool {
	return regexp.MustCompile(`(?m)^(?:` + keys + `):(?:\s|$)`).Match
}

// sqlite matches files of SQLite with this application id, which is at byte 68 of the header.
func sqlite(id uint32) func(head []byte) bool {
	const at = 68
	isSQLite := magic("SQLite format 3\x00")
	return func(head []byte) bool {
		return isSQLite(head) && len(head) >= at+4 && binary.BigEndian.Uint32(head[at:]) == id
	}
}

// sortOf returns the kind of a regular file by its first 4 KB; ok is false if no kind matches.
func sortOf(path string) (s fileSort, ok bool) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return s, false
	}
	f, err := os.Open(path)
	if err != nil {
		return s, false
	}
	defer f.Close()
	head := make([]byte, 4<<10)
	n, _ := f.Read(head)
	i := slices.IndexFunc(fileSorts, func(s fileSort) bool { return s.matches(head[:n]) })
	if i < 0 {
		return s, false
	}
	return fileSorts[i], true
}

// commandHint returns a hint that names the command for the file at path.
func (s fileSort) commandHint(path string) string {
	return "it is for " + strings.ReplaceAll(s.use, "FILE", scenario.ShellWord(path))
}

// readBy lists, for flags and commands, the types of files that they read. Commands outside the list read traces.
var readBy = map[string][]string{
	"--scenario": {aScenario}, "--map": {aMapping}, "--plan": {aPlan}, "--spec": {rules},
	"suite": {aSuite}, "import": {aLog, aTrace, compressed, aPart}, "merge": {results, aSummary}, "record": {aScenario}, "sweep": {aScenario},
}

// wrongSort returns a better error if the command line has a file of the wrong kind, such as a plan in place of a
// trace. It also adds the kind of a file that was taken for an unknown name. It returns "" for any other error.
func wrongSort(args []string, err string) string {
	if slices.Contains(args, "--partial") { // merge --partial reads traces
		return ""
	}
	unexpected := strings.Contains(err, "unexpected argument ")
	for i, arg := range args {
		flag, path, isValue := strings.Cut(arg, "=")
		if !isValue || !strings.HasPrefix(flag, "-") {
			flag, path = "", arg
			if i > 0 && strings.HasPrefix(args[i-1], "-") {
				flag = args[i-1]
			}
		}
		// args[0] is the command, which is no file.
		about := strings.HasPrefix(err, path+":")
		concernsFiles := about || unexpected || strings.Contains(err, "unknown ")
		if i == 0 || path == "" || !concernsFiles {
			continue
		}
		s, ok := sortOf(path)
		wanted, listed := readBy[flag]
		if !listed {
			wanted, listed = readBy[args[0]]
		}
		if !listed {
			wanted = []string{aTrace}
		}
		switch {
		case !ok || unexpected && (s.description == aTrace || strings.Contains(err, ", did you mean --")):
		case about && !slices.Contains(wanted, s.description) && !writesTo[flag]:
			return fmt.Sprintf("%s: the file holds %s, expected %s; %s", path, s.description, text.Or(wanted), s.commandHint(path))
		case strings.Contains(err, strconv.Quote(path)):
			before, _, _ := strings.Cut(err, strconv.Quote(path))
			return fmt.Sprintf("%s%q: expected a name, the file of this one holds %s; %s", before, path, s.description, s.commandHint(path))
		}
	}
	return ""
}

// writesTo are the flags of output files; the present content of such a file does not matter.
var writesTo = map[string]bool{
	"-o": true, "--output": true, "--save": true, "--hunt-save": true, "--plot": true, "--plane": true,
	"--report": true, "--render": true,
}
