package interop

import (
	"encoding/json"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Redact returns the runs with meaningless words for names of processes and runs, texts, and texts in
// payloads. The same word has the same replacement in all runs. A replacement keeps the length, the case and
// the places of digits, so different words stay different. Kept are the vocabulary, kinds, types, names of
// fields and variables, the words of role, reason and outcome, and votes and decisions of a commitment.
// Numbers are kept, too, unless they name a process and have five digits or more. Digits at the end of a name
// stay, at most four, so that n1 comes before n2 as before. The scenario of a simulated run is removed.
func Redact(runs []tracefmt.Recording) []tracefmt.Recording {
	r := &redactor{
		words: make(map[string]string), taken: make(map[string]bool), names: make(map[string]bool),
		random: rand.New(rand.NewPCG(1, 2)),
	}
	for _, rec := range runs {
		for _, m := range rec.Run().Members {
			r.names[m.Name] = true
			for _, word := range wordsOf().FindAllString(m.Name, -1) {
				if parts := plain().FindStringSubmatch(word); parts != nil {
					word = parts[1]
				}
				r.taken[word] = true // no replacement may equal another name
			}
		}
	}
	redacted := make([]tracefmt.Recording, len(runs))
	for i, rec := range runs {
		redacted[i] = &redactedRun{r, rec, r.run(rec.Run())}
	}
	return redacted
}

// redactedRun is a run whose names and texts the redactor replaces.
type redactedRun struct {
	redactor *redactor
	rec      tracefmt.Recording
	run      *tracefmt.Run
}

// Run implements [tracefmt.Recording].
func (r *redactedRun) Run() *tracefmt.Run { return r.run }

// Events implements [tracefmt.Recording].
func (r *redactedRun) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		var payload []byte
		for e, err := range r.rec.Events(from) {
			if err == nil && len(e.Payload) > 0 {
				redacted := *e
				payload = r.redactor.value(payload[:0], "", e.Payload)
				redacted.Payload, e = payload, &redacted
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// redactor maps words to their replacements.
type redactor struct {
	words  map[string]string
	taken  map[string]bool // words that no further replacement may equal
	names  map[string]bool // the names of processes
	random *rand.Rand      // with a fixed seed, so that equal files give equal results
}

// run returns the redacted description of a run.
func (r *redactor) run(run *tracefmt.Run) *tracefmt.Run {
	redacted := *run
	redacted.Name, redacted.Scenario = r.text(run.Name), nil
	if run.Source != tracefmt.Simulated && run.Source != tracefmt.Recorded {
		redacted.Source = r.text(run.Source)
	}
	redacted.Members = slices.Clone(run.Members)
	for i := range redacted.Members {
		m := &redacted.Members[i]
		m.Name = r.text(m.Name)
		if len(m.Attributes) > 0 {
			m.Attributes = r.value(nil, "", m.Attributes)
		}
	}
	redacted.Bounds = slices.Clone(run.Bounds)
	for i := range redacted.Bounds {
		redacted.Bounds[i].Source = r.text(redacted.Bounds[i].Source)
	}
	if run.Completeness != nil {
		declared := *run.Completeness
		declared.Processes = make(map[string]tracefmt.Levels, len(declared.Processes))
		// New names follow the order of their first use, so maps are walked through sorted keys.
		for _, name := range slices.Sorted(maps.Keys(run.Completeness.Processes)) {
			declared.Processes[r.text(name)] = run.Completeness.Processes[name]
		}
		for _, gaps := range [...]*[]tracefmt.Gap{&declared.Gaps, &declared.Suspected} {
			*gaps = slices.Clone(*gaps)
			for i := range *gaps {
				(*gaps)[i].Process = r.text((*gaps)[i].Process)
			}
		}
		if declared.Clocks != nil {
			clocks := tracefmt.Clocks{Skew: declared.Clocks.Skew, Shared: make([][]string, len(declared.Clocks.Shared))}
			for i, group := range declared.Clocks.Shared {
				for _, name := range group {
					clocks.Shared[i] = append(clocks.Shared[i], r.text(name))
				}
			}
			declared.Clocks = &clocks
		}
		redacted.Completeness = &declared
	}
	return &redacted
}

// keptKeys are the variables and fields whose values are words of etrace. They stay.
var keptKeys = []string{"role", "reason", "outcome"}

// keptValues are values that properties know, by the variable that has them. They stay, though other values of
// these variables are replaced: a vote may be the name of a process.
var keptValues = map[string][]string{"vote": {"yes", "no"}, "decided": {"commit", "abort"}}

// clockKey is the key of a vector clock in the object under [tracefmt.LogKey]: its keys are names of processes.
const clockKey = "clock"

// value appends the redacted form of a JSON value with a key.
func (r *redactor) value(b []byte, key string, value []byte) []byte {
	switch {
	case len(value) == 0:
		return b
	case value[0] == '{':
		return r.object(b, key, value)
	case value[0] == '[':
		b = append(b, '[')
		for item := range tracefmt.Items(value) {
			b = append(r.value(b, key, item), ',')
		}
		return closed(b, ']')
	case value[0] == '"':
		var text string
		if json.Unmarshal(value, &text) != nil || slices.Contains(keptKeys, key) || slices.Contains(keptValues[key], text) {
			return append(b, value...)
		}
		return tracefmt.AppendString(b, r.text(text))
	case r.names[string(value)]:
		return append(b, r.text(string(value))...)
	}
	return append(b, value...)
}

// object appends the redacted form of a JSON object with a key.
func (r *redactor) object(b []byte, key string, value []byte) []byte {
	b = append(b, '{')
	for field, value := range tracefmt.Fields(value) {
		name := string(field)
		inner := name
		if key == clockKey || r.names[name] {
			name = r.text(name)
		}
		b = append(tracefmt.AppendString(b, name), ':')
		b = append(r.value(b, inner, value), ',')
	}
	return closed(b, '}')
}

// closed ends a JSON list or object; the comma after the last item becomes the end.
func closed(b []byte, end byte) []byte {
	if b[len(b)-1] == ',' {
		b[len(b)-1] = end
		return b
	}
	return append(b, end)
}

var (
	// wordsOf matches a word: an IPv4 address, or a sequence of letters and digits.
	wordsOf = text.Pattern(`\b\d{1,3}(?:\.\d{1,3}){3}\b|[\pL\pM\pN]+`)
	plain   = text.Pattern(`^([\pL\pM]*)(\d{0,4})$`)
)

// text returns a text with all its words replaced.
func (r *redactor) text(s string) string {
	return wordsOf().ReplaceAllStringFunc(s, func(word string) string {
		if parts := plain().FindStringSubmatch(word); parts != nil {
			return r.word(parts[1]) + parts[2]
		}
		return r.word(word)
	})
}

// word returns the replacement of a word.
func (r *redactor) word(word string) string {
	if word == "" {
		return ""
	}
	redacted, ok := r.words[word]
	if !ok {
		for try := 0; redacted == "" || redacted == word || r.taken[redacted]; try++ {
			redacted = r.randomWord(word, try/20)
		}
		r.words[word], r.taken[redacted] = redacted, true
	}
	return redacted
}

// randomWord returns a random word with the shape of another one: letters and digits at the same places. more is the
// number of additional characters, for shapes with too few words.
func (r *redactor) randomWord(word string, more int) string {
	shape := []rune(word)
	for range more {
		shape = append(shape, shape[len(shape)-1])
	}
	if addressV4().MatchString(word) {
		numbers := make([]string, 4)
		for i := range numbers {
			numbers[i] = strconv.Itoa(r.random.IntN(256))
		}
		return strings.Join(numbers, ".")
	}
	for i, c := range shape {
		switch {
		case '0' <= c && c <= '9':
			shape[i] = rune('1' + r.random.IntN(9))
		case 'A' <= c && c <= 'Z':
			shape[i] = rune('A' + r.random.IntN(26))
		default:
			shape[i] = rune('a' + r.random.IntN(26))
		}
	}
	return string(shape)
}

var addressV4 = text.Pattern(`^\d+\.\d+\.\d+\.\d+$`)
