package scenario

import (
	"regexp"
	"strings"

	"etrace/record/algorithm"
)

// plainWord matches a word that needs no quotes in any common shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./=-]+$`)

// Setting is a key with its values in a scenario, in the form that the key reads.
type Setting struct {
	Key    *Key
	Values []string
}

// Settings returns the keys that differ from their defaults, in the order of [Keys].
// Each parameter is a value of the key param.
func (s *Scenario) Settings() []Setting {
	list := make([]Setting, 0, 8)
	for i := range Keys {
		key := &Keys[i]
		if key.get == nil {
			continue
		}
		if values := key.get(s); len(values) > 0 {
			list = append(list, Setting{key, values})
		}
	}
	return list
}

// CommandLine returns the scenario as the words after "etrace record" on a shell's command line: the algorithm
// and flags.
func (s *Scenario) CommandLine() string {
	words := []string{ShellWord(s.Algorithm)}
	for _, set := range s.Settings() {
		if set.Key.Name == "algorithm" {
			continue
		}
		for _, text := range set.Values {
			if set.Key.Switch {
				words = append(words, "--"+set.Key.Name+"="+text)
			} else {
				words = append(words, "--"+set.Key.Name, ShellWord(text))
			}
		}
	}
	return strings.Join(words, " ")
}

// Showing returns the scenario in which a mutant of an algorithm violates its properties.
func Showing(a *algorithm.Algorithm, m *algorithm.Mutant) (*Scenario, error) {
	s, err := Parse(a.Name+" "+m.Name, []byte("{algorithm: "+a.Name+", "+m.Shows+"}"))
	if err != nil {
		return nil, err
	}
	if s.Params == nil {
		s.Params = map[string]string{}
	}
	s.Params[algorithm.MutantParam] = m.Name
	return s, nil
}

// ShellWord returns a text as one word of a shell's command line, quoted if necessary.
func ShellWord(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// origin returns the scenario in one line, for errors.
func (s *Scenario) origin() string { return "etrace record " + s.CommandLine() }
