package rerun

import (
	"encoding/json"
	"iter"
	"maps"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/yamldoc"
)

// Aliases are the words of an algorithm by those that a log has in their place: types of messages and timers,
// fields of payloads, variables, and values such as roles.
type Aliases map[string]string

// ReadAliases reads a YAML document that names words of an algorithm with those of the log, such as
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
		others, err := doc.Texts(entry.Value)
		if err != nil {
			return nil, err
		}
		for _, other := range others {
			if former, known := aliases[other]; known && former != word {
				return nil, doc.Errorf(entry.Value, "%q stands for %q already, expected one word of the algorithm for it", other, former)
			}
			aliases[other] = word
		}
	}
	return aliases, nil
}

// Rename returns the recording in the words of the algorithm. Its events are lent as those of rec are.
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

// kinds renames the variables that a declaration of completeness names.
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

func (a Aliases) word(word string) string {
	if own, known := a[word]; known {
		return own
	}
	return word
}

// payload appends a payload in the words of the algorithm.
func (a Aliases) payload(to, payload []byte) []byte {
	to = append(to, '{')
	for key, value := range tracefmt.Fields(payload) {
		if len(to) > 1 {
			to = append(to, ',')
		}
		to = append(tracefmt.AppendString(to, a.word(string(key))), ':')
		var text string
		if value[0] == '"' && json.Unmarshal(value, &text) == nil {
			to = tracefmt.AppendString(to, a.word(text))
		} else {
			to = append(to, value...)
		}
	}
	return append(to, '}')
}

// renamedRecording is a recording whose words are renamed as it is read.
type renamedRecording struct {
	tracefmt.Recording
	run     *tracefmt.Run
	aliases Aliases
}

func (r *renamedRecording) Run() *tracefmt.Run { return r.run }

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
