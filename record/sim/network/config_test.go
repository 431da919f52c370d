package network

import (
	"strings"
	"testing"

	"etrace/tracefmt"
)

// TestValidate: what no network could do is refused, up to the last value that it could.
func TestValidate(t *testing.T) {
	const unit = tracefmt.Unit
	rule := func(r Rule) Config { return Config{Rules: []Rule{r}} }
	for _, c := range []struct {
		config Config
		want   string // "" if the config is good
	}{
		{Config{}, ""},
		{Config{Loss: 1, Duplicate: 1}, ""},
		{Config{Loss: 1.5}, "must be probabilities"},
		{Config{Loss: -0.5}, "must be probabilities"},
		{Config{Duplicate: 1.5}, "must be probabilities"},
		{Config{Duplicate: -0.5}, "must be probabilities"},
		{Config{Delay: Delay{Uniform, 0, 1}}, ""},
		{Config{Delay: Delay{Uniform, unit, unit}}, "expected a rising range"},
		{Config{Delay: Delay{Uniform, 2 * unit, unit}}, "expected a rising range"},
		{Config{Delay: Delay{Fixed, unit, unit}}, ""},
		{Config{Delay: Delay{Fixed, MaxTime, 0}}, ""},
		{Config{Delay: Delay{Fixed, MaxTime + 1, 0}}, "expected 0 to"},
		{Config{Delay: Delay{Fixed, -1, 0}}, "expected 0 to"},
		{rule(Rule{From: 1, To: 3}), ""},
		{rule(Rule{From: -1}), "process number -1, but there are 3 processes"},
		{rule(Rule{To: 4}), "process number 4, but there are 3 processes"},
		{rule(Rule{Delay: MaxTime + 1}), "expected 0 to"},
		{Config{Edits: []Edit{{Delay: -1}}}, "expected 0 to"},
		{Config{Edits: []Edit{{}}}, ""},
		{Config{Chooser: ScriptedChoices{}}, ""},
		{Config{Chooser: ScriptedChoices{}, Loss: 0.5}, "loss by chance cannot be used"},
		{Config{Chooser: ScriptedChoices{}, Duplicate: 0.5}, "duplicates by chance cannot be used"},
		{Config{Chooser: ScriptedChoices{}, Edits: []Edit{{}}}, "edits cannot be used"},
	} {
		err := c.config.Validate(3)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.config, err, c.want)
		}
	}
}
