package planned

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Value returns the raw value of a key in a scenario or another JSON object, nil if the key is missing.
func Value(scenario []byte, key string) []byte {
	for k, value := range tracefmt.Fields(scenario) {
		if string(k) == key {
			return value
		}
	}
	return nil
}

// Every returns a function that returns the first reason of the given functions, for properties with several
// assumptions.
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

// disturbances are the scenario keys that break assumptions, their effects, and the edit verbs with the same
// effect.
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
	// The following are effects of edits only, without a key of the name.
	{EditedStart, "begins again by an edit", "start"},
	{EditedParameter, "changes a parameter on the way", setParameter},
}

// Effects that only edits have, beside the keys of scenarios.
const (
	EditedStart     = "edited start"
	EditedParameter = "edited parameter"
	// setParameter replaces the verb of edits such as timeout=5@seq30.
	setParameter = "PARAMETER=VALUE"
)

// Without returns a function that returns why the scenario of a run has one of the given disturbances, "" if it
// has none.
func Without(keys ...string) func(*tracefmt.Run) string {
	return func(run *tracefmt.Run) string {
		for _, d := range disturbances {
			value := Value(run.Scenario, d.key)
			switch {
			case !slices.Contains(keys, d.key): // not asked for
			case value != nil && string(value) != `"off"`:
				return fmt.Sprintf("the scenario %s (%s)", d.does, d.key)
			case d.edit != "" && slices.Contains(edits(run), d.edit):
				return fmt.Sprintf("the scenario %s (edit: %s)", d.does, d.edit)
			}
		}
		return ""
	}
}

// edits returns the verbs of the scenario's key edit, as in "drop m12", which is an entry or a list of entries.
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

// texts returns the value of a scenario key as a list: its elements, or the parts of a text between commas.
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

// Everybody in the key start means each process.
const Everybody = "all"

// Start is an entry of the scenario's key start: a process, or all, and the time as written.
type Start struct{ Who, At string }

// Starts reads "4@0", or a list of such texts; a start without a time is at 0.
func Starts(run *tracefmt.Run) []Start {
	var list []Start
	for _, text := range texts(run, "start") {
		process, at, timed := strings.Cut(text, "@")
		if !timed {
			at = "0"
		}
		list = append(list, Start{process, at})
	}
	return list
}

// StartsTogether returns why the starts of a run do not begin a single election, "" if they do. A single
// election requires that all starts are simultaneous, and each process starts at most once.
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
		again := func(t Start) bool { return t.Who == s.Who || t.Who == Everybody || s.Who == Everybody }
		if slices.ContainsFunc(starts[:i], again) {
			return "the scenario starts a process more than once"
		}
	}
	return ""
}
