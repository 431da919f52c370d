package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/record/scenario"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

// redirection is the shell syntax that writes the output of a command to a file.
const redirection = "> FILE"

// otherWords are words of other tools for a command or flag of etrace. The first suggestion that the command has is
// used. A suggestion in capitals is an argument.
var otherWords = map[string][]string{
	"analyze": {"check"}, "verify": {"check"}, "test": {"check"},
	"draw": {"render"}, "plot": {"render"}, "picture": {"render"}, "visualize": {"render"}, "show": {"replay"}, "step": {"replay"},
	"run": {"record"}, "simulate": {"record"}, "sim": {"record"}, "hunt": {"record --hunt"}, "compare": {"diff"},
	"convert": {"import", "export"}, "sql": {"query"}, "ls": {"list"}, "count": {"stats"}, "statistics": {"stats"},
	"split": {"plan"}, "version": {"--version"},

	"-n": {"--nodes"}, "-f": {"--format"}, "-v": {"--version"}, "-r": {"--run"}, "-p": {"--only"},
	"--from": {"--to"}, "--to": {"--output"}, "--output-format": {"--format", "--to"}, "--algorithm": {"ALGORITHM"},
	"--trace": {"TRACE"}, "--input": {"TRACE", "LOG"}, "--sql": {"SQL"},
	"--format": {"--to", "--from"}, "--type": {"--diagram", "--by"}, "--kind": {"--diagram"},
	"--only": {"--rule", "--check"}, "--check": {"--only"}, "--processes": {"--nodes"}, "--n": {"--nodes"},
	"--size": {"--nodes", "--fit"}, "--width": {"--fit"}, "--height": {"--fit"}, "--out": {"--output", redirection},
	"--file": {"--output", redirection}, "-o": {redirection}, "--output": {redirection}, "--seeds": {"--runs"}, "--runs": {"--seeds", "--run"},
	"--seek": {"--at"}, "--goto": {"--at"}, "--event": {"--at", "--around"}, "--seq": {"--at", "--around"},
	"--fix": {"--repair"}, "--expression": {"--rule"}, "--silent": {"--quiet"}, "--count": {"--runs"},
	"--leader": {"--coordinator"}, "--drop-rate": {"--loss"},
}

// unknownWord returns the error for an unknown command or flag, with a suggestion. known are the valid words; usage
// shows the arguments of the command.
func unknownWord(noun, word string, known []string, usage string) error {
	if text.Nearest(word, known) == "" && otherWords[word] == nil && !strings.HasPrefix(word, "-") {
		if suggestion := text.Misspelt(word, slices.Collect(maps.Keys(otherWords))); suggestion != "" && !strings.HasPrefix(suggestion, "-") {
			return unknownWord(noun, suggestion, known, usage)
		}
	}
	// Users mean the first word that the command has.
	for _, meant := range otherWords[word] {
		first, _, _ := strings.Cut(meant, " ")
		switch {
		case slices.Contains(known, first) || first == "--version" && noun == "command":
			return text.Meant(noun, word, meant)
		case meant == redirection:
			return errors.New("unknown " + noun + " " + text.Quote(word) + ", expected " + redirection + ": the command prints to stdout")
		case strings.Contains(usage, meant) && strings.ToUpper(meant) == meant:
			return errors.New("unknown " + noun + " " + text.Quote(word) + ", expected " + meant + " as an argument: " + usage)
		}
	}
	return text.Unknown(noun, word, known)
}

// unknownCommand returns the error for an argument that is no command below cmd. For a file it suggests a command.
func unknownCommand(cmd *cobra.Command, word string) error {
	if !isMissing(word) {
		return fmt.Errorf("%s is a file, expected a command before it, such as etrace check %s", text.Quote(word), scenario.ShellWord(word))
	}
	return unknownWord("command", word, commandNames(cmd), "")
}

// isMissing reports whether no file has this name.
func isMissing(path string) bool {
	_, err := os.Stat(path)
	return err != nil
}

// withoutExtension returns the name of a file without its extension.
func withoutExtension(base string) string { return strings.TrimSuffix(base, filepath.Ext(base)) }

// missingFileHint returns a hint for the error of a file that does not exist: the file with the nearest name in its
// folder, or that the folder does not exist either; "" without a hint.
func missingFileHint(path string) string {
	if names := strings.Split(path, ","); len(names) > 1 && !slices.ContainsFunc(names, isMissing) {
		return ", expected blanks between names: " + strings.Join(names, " ")
	}
	if file, run, ok := strings.Cut(path, "#"); ok && !isMissing(file) {
		return ", expected " + scenario.ShellWord(file) + " --run " + scenario.ShellWord(run)
	}
	if runs, err := tracefile.ParseRuns(path); err == nil && !runs.Last() && !runs.All {
		return ", expected --run " + path + " for a run of a trace"
	}
	folder, base := filepath.Split(path)
	dir, err := os.Open(filepath.Clean(folder))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return ": there is no folder " + filepath.Clean(folder)
		}
		return ""
	}
	defer dir.Close()
	const limit = 10_000 // in a larger folder, only the first files are compared
	names, _ := dir.Readdirnames(limit)
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") || name == base })
	slices.Sort(names)
	// Two names are not near only because they have the same extension.
	near := text.Nearest(base, names)
	// The user may have left out the extension.
	i := slices.IndexFunc(names, func(name string) bool { return withoutExtension(name) == base })
	if near == "" && i >= 0 {
		near = names[i]
	}
	// The user may have added an extension.
	stem := withoutExtension(base)
	if slices.Contains(names, stem) {
		return ", did you mean " + scenario.ShellWord(folder+stem) + "?"
	}
	if near == "" {
		return ""
	}
	nearStem := withoutExtension(near)
	if nearStem == stem || nearStem == base || text.Nearest(stem, []string{nearStem}) != "" {
		return ", did you mean " + scenario.ShellWord(folder+near) + "?"
	}
	return ""
}
