package tracefmt

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// TellsForm says how a declaration is written on a command line, see [ParseTells].
const TellsForm = "LEVEL, KIND=LEVEL, PROCESS:LEVEL, PROCESS:KIND=LEVEL or gap=PROCESS@FROM-TO, separated by commas, or the JSON object of the header; levels are all, some, nothing"

// ParseTells reads what a recording undertakes to tell from a text in the form of
// [TellsForm]: "all", "timers=nothing,state.elected=some", "n3:nothing", "gap=n1@120-240". A
// level alone is the default. A process with a comma in its name can be named as JSON only.
func ParseTells(s string) (*Tells, error) {
	t := new(Tells)
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

func (t *Tells) parse(item string) error {
	if gap, ok := strings.CutPrefix(item, "gap="); ok {
		g, err := parseGap(gap)
		t.Gaps = append(t.Gaps, g)
		return err
	}
	into := &t.Telling
	if i := strings.LastIndexByte(item, ':'); i >= 0 {
		process := item[:i]
		own := t.Processes[process]
		if t.Processes == nil {
			t.Processes = make(map[string]Telling)
		}
		defer func() { t.Processes[process] = own }()
		into, item = &own, item[i+1:]
	}
	key, word, named := strings.Cut(item, "=")
	key, word = strings.TrimSpace(key), strings.TrimSpace(word)
	if _, err := ParseFacts(key); err == nil && !named {
		return fmt.Errorf("expected %s=LEVEL, a level is all, some or nothing", key)
	}
	if !named {
		key, word = "default", key
	}
	var level Level
	if err := level.UnmarshalText([]byte(word)); err != nil {
		if strings.Contains(word, ";") {
			return fmt.Errorf("%w; commas separate what is said", err)
		}
		return err
	}
	if key == "default" {
		if into.Default != Unsaid {
			return errors.New("the default is given twice")
		}
		into.Default = level
		return nil
	}
	if into.Kinds[key] != Unsaid {
		return fmt.Errorf("the key %q is given twice", key)
	}
	if into.Kinds == nil {
		into.Kinds = make(map[string]Level)
	}
	into.Kinds[key] = level
	return nil
}

// parseGap reads PROCESS@FROM-TO, where FROM and TO may be left out: from the beginning, to
// the end.
func parseGap(s string) (Gap, error) {
	i := strings.LastIndexByte(s, '@')
	if i < 0 {
		return Gap{}, errors.New("expected gap=PROCESS@FROM-TO")
	}
	from, to, ok := strings.Cut(s[i+1:], "-")
	if !ok {
		return Gap{}, fmt.Errorf("expected gap=PROCESS@FROM-TO; %s@%s- is a gap that lasts to the end", s[:i], from)
	}
	g := Gap{Process: s[:i]}
	for _, n := range []struct {
		text string
		seq  *Seq
	}{{from, &g.From}, {to, &g.To}} {
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

// Over returns the declaration that says what t does, and what under says where t is silent.
// Gaps add up, unless t says in so many words, as JSON can, that there are none.
func (t *Tells) Over(under *Tells) *Tells {
	if t == nil || under == nil {
		if t == nil {
			return under
		}
		return t
	}
	both := Tells{Telling: t.Telling.over(under.Telling), Gaps: t.gapsOver(under)}
	if t.Default != Unsaid { // it is for all that t does not name
		both.Telling, both.Processes = t.Telling, t.Processes
		if t.Default == All { // nor is there a gap but those that t names
			both.Gaps = t.Gaps
		}
		return &both
	}
	both.Processes = make(map[string]Telling)
	for name, own := range under.Processes {
		if left := t.Telling.within(own); left.Default != Unsaid || len(left.Kinds) > 0 {
			both.Processes[name] = left
		}
	}
	for name, own := range t.Processes {
		both.Processes[name] = own.over(both.Processes[name])
	}
	return &both
}

// over is the telling that says what t does, and what under says where t is silent.
func (t Telling) over(under Telling) Telling {
	if t.Default != Unsaid {
		return t
	}
	both := Telling{under.Default, t.uncovered(under.Kinds)}
	for key, level := range t.Kinds {
		both.Kinds[key] = level
	}
	return both
}

// within is what is left of own, which a declaration under t says of one process: it has
// the keys of t on which own would go before them.
func (t Telling) within(own Telling) Telling {
	left := Telling{own.Default, t.uncovered(own.Kinds)}
	said := left
	said.Kinds = maps.Clone(left.Kinds)
	for key, level := range t.Kinds {
		if facts, err := ParseFacts(key); err == nil && said.level(facts[0]) != Unsaid {
			left.Kinds[key] = level
		}
	}
	return left
}

// uncovered returns those of the keys of which t does not say everything.
func (t Telling) uncovered(kinds map[string]Level) map[string]Level {
	left := make(map[string]Level)
	for key, level := range kinds {
		if !t.covers(key) {
			left[key] = level
		}
	}
	return left
}

// covers reports whether one of the keys of t is for all the facts for which another is.
func (t Telling) covers(key string) bool {
	facts, err := ParseFacts(key)
	if err != nil {
		return false
	}
	for own := range t.Kinds {
		wide, _ := ParseFacts(own)
		if !slices.ContainsFunc(facts, func(f Fact) bool { return !f.among(wide) }) {
			return true
		}
	}
	return false
}

// among reports whether the fact is one of others, or of a variable of one of them.
func (f Fact) among(others []Fact) bool {
	return slices.Contains(others, f) || slices.Contains(others, Fact{Kind: f.Kind})
}

// Declare has the run tell what t says, and where t is silent what it told before; of a
// simulated run that declares nothing that is all. The error is that t names a process
// which the run does not have; then nothing has changed. nil changes nothing.
func (r *Run) Declare(t *Tells) error {
	if t == nil {
		return nil
	}
	declared := *r
	declared.Tells = t.Over(r.declared())
	if err := declared.validateTells(); err != nil {
		return err
	}
	r.Tells = declared.Tells
	return nil
}

// declared is what the run declares, in words or by being simulated.
func (r *Run) declared() *Tells {
	if r.Tells == nil && r.Source == Simulated {
		return &Tells{Telling: Telling{Default: All}}
	}
	return r.Tells
}

// Retold is the recording as one that tells what t says, see [Run.Declare]. nil leaves it
// as it is.
func Retold(rec Recording, t *Tells) (Recording, error) {
	if t == nil {
		return rec, nil
	}
	run := *rec.Run()
	if err := run.Declare(t); err != nil {
		return nil, err
	}
	return &retold{rec, &run}, nil
}

// retold is a recording under another description.
type retold struct {
	Recording
	run *Run
}

func (r *retold) Run() *Run { return r.run }

// TellsWords lists the words of which a declaration on a command line is made, each with
// its level.
func TellsWords() []string {
	words := append([]string{}, levels[All:]...)
	for _, name := range factNames() {
		for _, level := range levels[All:] {
			words = append(words, name+"="+level)
		}
	}
	return words
}
