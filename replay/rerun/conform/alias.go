package conform

import (
	"encoding/json"
	"iter"
	"maps"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/yamldoc"
)

// Aliases maps words of a log to words of an algorithm: types of messages and timers, fields of payloads,
// variables, and values such as roles.
type Aliases map[string]string

// ReadAliases reads a YAML document that maps words of an algorithm to the words of the log, such as
// "RequestVote: MsgVote" or "leader: [LEADER, StateLeader]". Errors name file, line and column.
func ReadAliases(file string, data []byte) (Aliases, error) {
	doc, err := yamldoc.Parse(file, data, "RequestVote: MsgVote")
	if err != nil {
		return nil, err
	}
	entries, err := doc.Entries(doc.Root)
	if err != nil {
		return nil, err
	}
	aliases := Aliases{}
	for _, entry := range entries {
		word, err := doc.Text(entry.Key)
		if err != nil {
			return nil, err
		}
		aliasWords, err := doc.Texts(entry.Value)
		if err != nil {
			return nil, err
		}
		for _, alias := range aliasWords {
			if former, known := aliases[alias]; known && former != word {
				return nil, doc.Errorf(entry.Value, "%q is an alias of %q already, expected one word of the algorithm for it", alias, former)
			}
			aliases[alias] = word
		}
	}
	return aliases, nil
}

// Rename returns the recording in the words of the algorithm. Its events are valid as long as the events of
// rec.
func (a Aliases) Rename(rec tracefmt.Recording) tracefmt.Recording {
	if len(a) == 0 {
		return rec
	}
	run := *rec.Run()
	if c := run.Completeness; c != nil {
		renamed := *c
		renamed.Kinds, renamed.Processes = a.kinds(c.Kinds), maps.Clone(c.Processes)
		for name, levels := range renamed.Processes {
			levels.Kinds = a.kinds(levels.Kinds)
			renamed.Processes[name] = levels
		}
		run.Completeness = &renamed
	}
	return &renamedRecording{rec, &run, a}
}

// kinds renames the variables in a declaration of completeness.
func (a Aliases) kinds(kinds map[string]tracefmt.Level) map[string]tracefmt.Level {
	renamed := map[string]tracefmt.Level{}
	for name, level := range kinds {
		if variable, ok := strings.CutPrefix(name, "state."); ok {
			name = "state." + a.word(variable)
		}
		renamed[name] = level
	}
	return renamed
}

// word returns the algorithm's word for a word of the log; a word without an alias stays.
func (a Aliases) word(word string) string {
	if renamed, known := a[word]; known {
		return renamed
	}
	return word
}

// payload appends a payload to target, with its keys and texts in the words of the algorithm.
func (a Aliases) payload(target, payload []byte) []byte {
	target = append(target, '{')
	for key, value := range tracefmt.Fields(payload) {
		if len(target) > 1 {
			target = append(target, ',')
		}
		target = append(tracefmt.AppendString(target, a.word(string(key))), ':')
		var text string
		if value[0] == '"' && json.Unmarshal(value, &text) == nil {
			target = tracefmt.AppendString(target, a.word(text))
		} else {
			target = append(target, value...)
		}
	}
	return append(target, '}')
}

// renamedRecording renames the words of a recording while it is read.
type renamedRecording struct {
	tracefmt.Recording
	run     *tracefmt.Run
	aliases Aliases
}

func (r *renamedRecording) Run() *tracefmt.Run { return r.run }

// Events yields the events in the words of the algorithm. It reuses one event.
func (r *renamedRecording) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		var renamed tracefmt.Event
		var payload []byte
		for e, err := range r.Recording.Events(from) {
			if err != nil {
				yield(nil, err)
				return
			}
			renamed = *e
			renamed.Type = r.aliases.word(e.Type)
			if len(e.Payload) > 0 {
				payload = r.aliases.payload(payload[:0], e.Payload)
				renamed.Payload = payload
			}
			if !yield(&renamed, nil) {
				return
			}
		}
	}
}
