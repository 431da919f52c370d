package scenario

import (
	"regexp"
	"strings"
)

// plainWord needs no quotes in any common shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./=-]+$`)

// CommandLine returns the scenario as what follows "etrace record" on a shell's
// command line: the algorithm and flags.
func (s *Scenario) CommandLine() string {
	words := []string{ShellWord(s.Algorithm)}
	for i := range Keys {
		key := &Keys[i]
		if key.get == nil || key.Name == "algorithm" {
			continue
		}
		for _, text := range key.get(s) {
			if key.Switch {
				words = append(words, "--"+key.Name+"="+text)
			} else {
				words = append(words, "--"+key.Name, ShellWord(text))
			}
		}
	}
	return strings.Join(words, " ")
}

// ShellWord returns a text as one word of a shell's command line, in quotes if it
// needs them.
func ShellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// origin is the scenario in one line, for errors.
func (s *Scenario) origin() string { return "etrace record " + s.CommandLine() }
