package property

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// planned returns the raw value that a scenario, or another JSON object, gives
// to a key, nil for none.
func planned(scenario []byte, key string) []byte {
	for k, value := range tracefmt.Fields(scenario) {
		if string(k) == key {
			return value
		}
	}
	return nil
}

// every returns a function that gives the first reason of these, for
// properties that assume more than one thing.
func every(assumes ...func(*tracefmt.Run) string) func(*tracefmt.Run) string {
	return func(run *tracefmt.Run) string {
		for _, a := range assumes {
			if reason := a(run); reason != "" {
				return reason
			}
		}
		return ""
	}
}

// disturbances are the keys of scenarios that take a promise back, what they
// do, and the verbs of the entries of the key edit that do the same.
var disturbances = []struct{ key, does, edit string }{
	{"crash", "crashes processes", "crash"},
	{"delay", "varies the delays", ""},
	{"drop", "loses messages", "drop"},
	{"duplicate", "duplicates messages", "duplicate"},
	{"forge", "has a process forge messages", ""},
	{"lie", "has a process lie", ""},
	{"loss", "loses messages", ""},
	{"op", "has clients invoke operations", ""},
	{"partition", "parts the network", ""},
	{"recover", "lets processes recover", "recover"},
	{"reorder", "lets messages overtake each other", ""},
	{"silence", "silences a process", ""},
	{"slow", "slows messages down", "delay"},
	// What only an edit does: there is no key of the name.
	{editedStart, "begins again by an edit", "start"},
	{editedParameter, "changes a parameter on the way", setParameter},
}

const (
	editedStart     = "edited start"
	editedParameter = "edited parameter"
	// setParameter stands for the verb of edits such as timeout=5@seq30.
	setParameter = "PARAMETER=VALUE"
)

// without returns a function that says why the scenario of a run does not
// promise to do without the disturbances of these keys, "" if it does.
func without(keys ...string) func(*tracefmt.Run) string {
	return func(run *tracefmt.Run) string {
		for _, d := range disturbances {
			value := planned(run.Scenario, d.key)
			switch {
			case !slices.Contains(keys, d.key):
			case value != nil && string(value) != `"off"`:
				return fmt.Sprintf("the scenario %s (%s)", d.does, d.key)
			case d.edit != "" && slices.Contains(plannedEdits(run), d.edit):
				return fmt.Sprintf("the scenario %s (edit: %s)", d.does, d.edit)
			}
		}
		return ""
	}
}

// plannedEdits are the verbs of the scenario's key edit, as in "drop m12": an
// entry or a list of entries.
func plannedEdits(run *tracefmt.Run) []string {
	var verbs []string
	for _, text := range plannedTexts(run, "edit") {
		verb, _, _ := strings.Cut(text, " ")
		if strings.Contains(verb, "=") {
			verb = setParameter
		}
		verbs = append(verbs, verb)
	}
	return verbs
}

// plannedTexts is what the scenario gives to a key that takes a list: its
// elements, or the parts of one text between commas.
func plannedTexts(run *tracefmt.Run, key string) []string {
	raw := planned(run.Scenario, key)
	var text string
	var texts []string
	if json.Unmarshal(raw, &text) == nil {
		texts = strings.Split(text, ",")
	} else if json.Unmarshal(raw, &texts) != nil {
		return nil
	}
	for i := range texts {
		texts[i] = strings.TrimSpace(texts[i])
	}
	return texts
}

// plannedStart is an entry of the scenario's key start: a process, or all, and
// the time as it is written.
type plannedStart struct{ who, at string }

// plannedStarts reads "4@0", or a list of such texts; a start without a time is
// at 0.
func plannedStarts(run *tracefmt.Run) []plannedStart {
	var starts []plannedStart
	for _, text := range plannedTexts(run, "start") {
		who, at, timed := strings.Cut(text, "@")
		if !timed {
			at = "0"
		}
		starts = append(starts, plannedStart{who, at})
	}
	return starts
}

// startsTogether says why the starts of a run do not make one election, "" if
// they do.
func startsTogether(run *tracefmt.Run) string {
	starts := plannedStarts(run)
	for _, s := range starts {
		if s.at != starts[0].at {
			return "the scenario starts elections at several instants"
		}
	}
	if len(starts) == 0 {
		return "the run has no scenario that says who starts"
	}
	return ""
}
