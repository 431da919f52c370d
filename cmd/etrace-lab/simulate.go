package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/property"
	"etrace/record/scenario"
	"etrace/render/viewer"
	"etrace/tracefmt"
)

// mostEvents is the number of events after which a run is stopped. The page does not respond during the simulation.
const mostEvents = 20_000

// simulated is the result of a simulation, as the page receives it.
type simulated struct {
	Run      json.RawMessage `json:"run"`
	Command  string          `json:"command"`
	Settings [][2]string     `json:"settings"` // the keys whose values are not the default
	Counts   [][2]string     `json:"counts"`   // sent messages by type
	Bounds   string          `json:"bounds"`   // a table of the published bounds
	Remarks  []string        `json:"remarks"`
}

// simulate runs the scenario of the settings, a JSON list of pairs [key, value], and checks the default properties. It fails
// for an unknown key, an invalid value, and a scenario that the algorithm refuses.
func simulate(ctx context.Context, settings string) (*simulated, error) {
	s, err := read(settings)
	if err != nil {
		return nil, err
	}
	limited := *s
	limited.MaxEvents = cmp.Or(s.MaxEvents, mostEvents)
	rec := new(tracefmt.Memory)
	_, result, err := scenario.Record(ctx, &limited, rec)
	if err != nil {
		return nil, err
	}
	if err := s.CheckEdits(result); err != nil {
		return nil, err
	}
	verdicts, err := decide(rec)
	if err != nil {
		return nil, err
	}
	run, err := viewer.Data(ctx, rec, nil, verdicts)
	if err != nil {
		return nil, err
	}
	var bounds bytes.Buffer
	if err := complexity.WriteBounds(&bounds, rec.Run().Bounds); err != nil {
		return nil, err
	}
	out := &simulated{Run: run, Command: "etrace record " + s.CommandLine(), Bounds: bounds.String(), Remarks: s.Remarks(result)}
	for _, set := range s.Settings() {
		for _, value := range set.Values {
			out.Settings = append(out.Settings, [2]string{set.Key.Name, value})
		}
	}
	out.Counts, err = counts(rec)
	return out, err
}

// read parses the settings into a scenario. If the settings only name an algorithm, the result is its example.
func read(settings string) (*scenario.Scenario, error) {
	var list [][2]string
	if err := json.Unmarshal([]byte(settings), &list); err != nil {
		return nil, fmt.Errorf("settings: %w, expected a list of keys and values", err)
	}
	s := &scenario.Scenario{}
	for _, set := range list {
		i := slices.IndexFunc(scenario.Keys, func(k scenario.Key) bool { return k.Name == set[0] })
		if i < 0 {
			return nil, fmt.Errorf("%q is no key of a scenario", set[0])
		}
		if err := scenario.Keys[i].Set(s, set[1]); err != nil {
			return nil, fmt.Errorf("%s %w", set[0], err)
		}
	}
	s.Complete()
	return s, nil
}

// decide returns the verdicts of the default properties that apply to the run.
func decide(rec tracefmt.Recording) (verdicts []viewer.Verdict, err error) {
	report, err := analyze.Check(rec, property.Builtin().Default(), analyze.Options{})
	if err != nil {
		return nil, err
	}
	for _, r := range report.Results {
		if r.Verdict != analyze.NotApplicable {
			verdicts = append(verdicts, viewer.Verdict{
				Name: r.Property.Name, Verdict: string(r.Verdict), Text: r.Explanation, Events: r.Witness,
			})
		}
	}
	return verdicts, nil
}

// counts returns the number of messages sent by type, and the total.
func counts(rec tracefmt.Recording) (list [][2]string, err error) {
	sent := map[string]int{}
	total := 0
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if e.Kind == tracefmt.Send {
			sent[e.Type]++
			total++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		list = append(list, [2]string{name, strconv.Itoa(sent[name])})
	}
	return append(list, [2]string{"all", strconv.Itoa(total)}), nil
}
