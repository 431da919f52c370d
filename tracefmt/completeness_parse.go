package tracefmt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

// CompletenessForm describes the syntax of a declaration on the command line, see [ParseCompleteness].
const CompletenessForm = "LEVEL, KIND, KIND=LEVEL, PROCESS:LEVEL, PROCESS:KIND=LEVEL or " +
	"gap=PROCESS@FROM-TO, separated by commas, or the JSON object of the header; levels are all, some " +
	"and none, and a bare KIND means KIND=all"

// ParseCompleteness reads a declaration in the syntax of [CompletenessForm]: "all",
// "timers=none,state.elected=some", "n3:none", "gap=n1@120-240". A single level is the default; a single kind
// is recorded completely. A process with a comma in its name needs the JSON form.
func ParseCompleteness(s string) (*Completeness, error) {
	t := new(Completeness)
	if strings.HasPrefix(strings.TrimSpace(s), "{") {
		if err := t.unmarshal([]byte(s)); err != nil {
			return nil, typeError(err)
		}
		return t, t.validate()
	}
	for item := range strings.SplitSeq(s, ",") {
		if err := t.parse(strings.TrimSpace(item)); err != nil {
			return nil, fmt.Errorf("%q: %w", item, err)
		}
	}
	return t, t.validate()
}

// parse adds one comma-separated part of a declaration on the command line to t. It fails if the part is
// malformed or repeats a key of another part.
func (t *Completeness) parse(item string) error {
	// The order of the cuts matters: names of processes may contain '=' but keys may not contain ':'.
	if gap, ok := strings.CutPrefix(item, "gap="); ok {
		g, err := parseGap(gap)
		t.Gaps = append(t.Gaps, g)
		return err
	}
	i := strings.LastIndexByte(item, ':')
	if i < 0 {
		return t.Levels.parse(item)
	}
	if t.Processes == nil {
		t.Processes = make(map[string]Levels)
	}
	process := item[:i]
	levels := t.Processes[process]
	err := levels.parse(item[i+1:])
	t.Processes[process] = levels
	return err
}

// parse adds LEVEL, KIND or KIND=LEVEL to the levels. It fails if the item is malformed or repeats a key.
func (t *Levels) parse(item string) error {
	key, word, named := strings.Cut(item, "=")
	key, word = strings.TrimSpace(key), strings.TrimSpace(word)
	// A single word is a kind, which then is recorded completely, or the default level.
	if _, err := ParseFacts(key); err == nil && !named {
		word = All.String()
	} else if !named {
		if near := text.Nearest(key, factNames()); near != "" && text.Nearest(key, levels[1:]) == "" {
			return unknownFact(key)
		}
		key, word = "default", key
	}
	var level Level
	if err := level.UnmarshalText([]byte(word)); err != nil {
		if strings.Contains(word, ";") {
			return fmt.Errorf("%w; commas separate the parts", err)
		}
		return err
	}
	if key == "default" {
		if t.Default != Undeclared {
			return errors.New("the default is given twice")
		}
		t.Default = level
		return nil
	}
	if t.Kinds[key] != Undeclared {
		return fmt.Errorf("the key %q is given twice", key)
	}
	if t.Kinds == nil {
		t.Kinds = make(map[string]Level)
	}
	t.Kinds[key] = level
	return nil
}

// parseGap reads PROCESS@FROM-TO. A missing FROM means the beginning, a missing TO the end.
func parseGap(s string) (Gap, error) {
	i := strings.LastIndexByte(s, '@')
	if i < 0 {
		return Gap{}, errors.New("expected gap=PROCESS@FROM-TO")
	}
	first, last, ok := text.CutRange(s[i+1:])
	if !ok {
		return Gap{}, fmt.Errorf("expected gap=PROCESS@FROM-TO; %s@%s- is a gap that lasts to the end", s[:i], first)
	}
	g := Gap{Process: s[:i]}
	for _, n := range []struct {
		text string
		seq  *Seq
	}{{first, &g.From}, {last, &g.To}} {
		if n.text == "" {
			continue
		}
		seq, err := strconv.ParseInt(n.text, 10, 64)
		if err != nil || seq < 0 || seq == 0 && n.seq == &g.To {
			return Gap{}, fmt.Errorf("%q is not the seq of an event, which is 1 or more", n.text)
		}
		*n.seq = Seq(seq)
	}
	return g, nil
}

// CompletenessWords lists the declarations that --complete accepts, for the completion of shells: each level alone, and
// FACT=LEVEL for each fact.
func CompletenessWords() []string {
	words := append([]string{}, levels[All:]...)
	for _, name := range factNames() {
		for _, level := range levels[All:] {
			words = append(words, name+"="+level)
		}
	}
	return words
}
