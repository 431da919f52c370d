package planned

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Value returns the raw value that a scenario, or another JSON object, gives
// to a key, nil for none.
func Value(scenario []byte, key string) []byte {
	for k, value := range tracefmt.Fields(scenario) {
		if string(k) == key {
			return value
		}
	}
	return nil
}

// Every returns a function that gives the first reason of these, for
// properties that assume more than one thing.
func Every(assumes ...func(*tracefmt.Run) string) func(*tracefmt.Run) string {
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
	{"choices", "lets messages take any time", ""},
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
	{EditedStart, "begins again by an edit", "start"},
	{EditedParameter, "changes a parameter on the way", setParameter},
}

// What only an edit does, beside the keys of scenarios.
const (
	EditedStart     = "edited start"
	EditedParameter = "edited parameter"
	// setParameter stands for the verb of edits such as timeout=5@seq30.
	setParameter = "PARAMETER=VALUE"
)

// Without returns a function that says why the scenario of a run does not
// promise to do without the disturbances of these keys, "" if it does.
func Without(keys ...string) func(*tracefmt.Run) string {
	return func(run *tracefmt.Run) string {
		for _, d := range disturbances {
			value := Value(run.Scenario, d.key)
			switch {
			case !slices.Contains(keys, d.key):
			case value != nil && string(value) != `"off"`:
				return fmt.Sprintf("the scenario %s (%s)", d.does, d.key)
			case d.edit != "" && slices.Contains(edits(run), d.edit):
				return fmt.Sprintf("the scenario %s (edit: %s)", d.does, d.edit)
			}
		}
		return ""
	}
}

// edits are the verbs of the scenario's key edit, as in "drop m12": an
// entry or a list of entries.
func edits(run *tracefmt.Run) []string {
	var verbs []string
	for _, text := range texts(run, "edit") {
		verb, _, _ := strings.Cut(text, " ")
		if strings.Contains(verb, "=") {
			verb = setParameter
		}
		verbs = append(verbs, verb)
	}
	return verbs
}

// texts is what the scenario gives to a key that takes a list: its
// elements, or the parts of one text between commas.
func texts(run *tracefmt.Run, key string) []string {
	raw := Value(run.Scenario, key)
	var text string
	var list []string
	if json.Unmarshal(raw, &text) == nil {
		list = strings.Split(text, ",")
	} else if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// Everybody stands for each process in the key start.
const Everybody = "all"

// Start is an entry of the scenario's key start: a process, or all, and
// the time as it is written.
type Start struct{ Who, At string }

// Starts reads "4@0", or a list of such texts; a start without a time is
// at 0.
func Starts(run *tracefmt.Run) []Start {
	var list []Start
	for _, text := range texts(run, "start") {
		who, at, timed := strings.Cut(text, "@")
		if !timed {
			at = "0"
		}
		list = append(list, Start{who, at})
	}
	return list
}

// StartsTogether says why the starts of a run do not make one election, in which
// each process that starts does so once, "" if they do.
func StartsTogether(run *tracefmt.Run) string {
	starts := Starts(run)
	switch {
	case len(starts) == 0 && len(run.Scenario) > 0:
		return "the scenario starts no process"
	case len(starts) == 0:
		return "the run has no scenario that says who starts"
	}
	for i, s := range starts {
		if s.At != starts[0].At {
			return "the scenario has starts at several instants"
		}
		if again := func(t Start) bool { return t.Who == s.Who || t.Who == Everybody || s.Who == Everybody }; slices.ContainsFunc(starts[:i], again) {
			return "the scenario starts a process more than once"
		}
	}
	return ""
}
