package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"etrace/analyze/experiment/sweep"
)

// errTwice is the error for a repeated flag that takes one value. It is not known which value the user meant.
var errTwice = errors.New("given twice, expected once")

// errNoValue is the error for a flag without a value. The next flag follows at once, or a list may have an
// empty item.
var errNoValue = errors.New("nothing or a flag, expected a value")

// checkedFlag is a flag among the flags of its command. It has one value, a list, or repeated values.
type checkedFlag struct {
	pflag.Value
	beside               *pflag.FlagSet
	list, repeats, given bool
}

// Set implements [pflag.Value].
func (o *checkedFlag) Set(value string) error {
	switch {
	case value == "", o.list && slices.Contains(strings.Split(value, ","), ""):
		return errNoValue
	case o.list, o.repeats:
		return o.Value.Set(value)
	case o.given:
		return errTwice
	}
	long, isLong := strings.CutPrefix(value, "--")
	short, isShort := strings.CutPrefix(value, "-")
	// A value that is another flag shows that the value was forgotten.
	if isLong && o.beside.Lookup(long) != nil {
		return errNoValue
	}
	if isShort && len(short) == 1 && o.beside.ShorthandLookup(short) != nil {
		return errNoValue
	}
	o.given = true
	return o.Value.Set(value)
}

// checkValues makes all flags with values refuse empty ones, and flags with one value a second one.
func checkValues(commands []*cobra.Command) {
	for _, cmd := range commands {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value := f.Value
			c, isCompleted := value.(completed)
			if isCompleted {
				value = c.Value
			}
			list, repeats := value.Type() == "stringSlice" || value.Type() == "names", value.Type() == "stringArray"
			if !list && !repeats && !hasOneValue(value) {
				return
			}
			if f.DefValue == "[]" {
				f.DefValue = "" // the help of an unknown kind of flag would show it
			}
			f.Value = &checkedFlag{Value: value, beside: cmd.Flags(), list: list, repeats: repeats}
			if isCompleted {
				f.Value = completed{f.Value, c.values}
			}
		})
	}
}

// hasOneValue reports whether a flag takes a single value, so that a second one is a mistake. Flags for lists and
// bool flags may be repeated.
func hasOneValue(value pflag.Value) bool {
	switch v := value.(type) {
	case *keyFlag:
		return !v.key.Repeat
	case *axisFlag:
		return v.key != nil && !v.key.Repeat && !sweep.IsAxis(v.key)
	case *outName, *endFlag, *measureFlag, *seedCount:
		return true
	}
	return value.Type() == "string" || expectedValues[value.Type()] != "" && value.Type() != "bool"
}

// flagNeeds lists, by command, flags that have an effect only together with one of the named flags. A flag without
// effect is a mistake of the user, and is refused.
var flagNeeds = map[string]map[string][]string{
	"record": {
		"hunt-faults": {"hunt"}, "hunt-runs": {"hunt"}, "hunt-time": {"hunt"}, "hunt-save": {"hunt"},
		"only": {"all-orders"}, "max-runs": {"all-orders"}, "workload": {"exec"}, "lockstep": {"exec"}, "pause": {"exec"},
	},
	"explain": {"spec": {"needs"}, "rule": {"needs"}, "allow-quadratic": {"spec", "rule"}},
	"check":   {"fail-fast": {"follow"}, "allow-quadratic": {"spec", "rule"}, "shard": {"plan"}, "plan": {"shard"}},
	"plan":    {"allow-quadratic": {"spec", "rule"}, "for": {"output"}},
	"import":  {"part": {"map"}, "files": {"map", "join"}},
	"render":  {"allow-quadratic": {"spec", "rule"}, "tile": {"frames"}},
	"lint":    {"output": {"repair"}},
	"merge":   {"output": {"partial"}, "force": {"partial", "plot", "plane", "report"}},
	"sweep": {
		"max-runs": {"maximize", "minimize"}, "save": {"maximize", "minimize", "check"}, "shard": {"output"},
		"force": {"plot", "plane", "report"}, "allow-open": {"maximize", "minimize", "check"},
	},
	"replay": {"ignore": {"node"}, "param": {"as"}, "alias": {"as"}, "max-steps": {"as"}, "output": {"what-if"}},
}

// importOfAll are the flags of imports that read all logs at once. importReport are those of the step that knows the run.
var (
	importOfAll  = []string{"suggest", "explain-map", "follow", "from", "crashed", "end"}
	importReport = []string{"strict", "complete", "json"}
)

// flagChoices lists, by command, groups of flags that exclude each other: at most one of a group may be given.
var flagChoices = map[string][][]string{
	"record": append(
		[][]string{{"hunt", "all-orders", "runs", "print-scenario"}, {"hunt", "all-orders", "print-scenario", "complete"}},
		exclusions("exec", "hunt", "all-orders", "runs", "print-scenario", "scenario")...,
	),
	"explain": {{"needs", "schema"}, {"schema", "json"}},
	"replay": {
		{"at", "as", "find", "node", "past", "steps", "verify", "watch"},
		{"as", "find", "node", "past", "steps", "text", "verify", "watch"},
		{"text", "json"},
		{"complete", "verify", "what-if"},
		{"at", "as", "find", "past", "steps", "verify", "watch", "what-if"},
		{"text", "what-if"},
		{"node", "output"},
	},
	"merge": slices.Concat(exclusions("partial", "format", "json", "allow-open", "all"), exclusions("partial", findingsFlags...),
		exclusions("plan", "all"), exclusions("plan", findingsFlags...)),
	"sweep": slices.Concat([][]string{{"maximize", "minimize"}},
		exclusions("maximize", "measure", "check", "dry-run", "output"), exclusions("maximize", findingsFlags...),
		exclusions("minimize", "measure", "check", "dry-run", "output"), exclusions("minimize", findingsFlags...),
		exclusions("dry-run", "output", "save", "format", "json"), exclusions("dry-run", findingsFlags...),
		exclusions("shard", findingsFlags...)),
	"import": slices.Concat(
		exclusions("part", "join", "suggest", "explain-map", "strict", "follow", "from", "complete", "crashed", "end", "json"),
		exclusions("join", "map", "from", "suggest", "follow", "regex", "order"),
		exclusions("files", slices.Concat([]string{"match", "order", "piece", "part"}, importOfAll, importReport)...),
		exclusions("match", slices.Concat([]string{"join", "order", "piece", "part", "map"}, importOfAll, importReport)...),
		exclusions("order", slices.Concat([]string{"files", "piece", "part", "map"}, importOfAll)...),
		exclusions("piece", slices.Concat([]string{"join", "files", "part", "map"}, importOfAll, importReport)...)),
	"render": {{"tile", "fit"}, {"tile", "aspect"}, {"fit", "aspect"}, {"from", "around"}, {"to", "around"}, {"past", "around"}},
	"suite":  {{"shard", "format"}, {"shard", "json"}, {"shard", "all"}},
	"check": slices.Concat([][]string{
		{"allow-open", "strict"},
		{"crashed", "save"},
		{"end", "save"},
		{"follow", "save"},
		{"follow", "plan"},
		{"follow", "salvage"},
	}, exclusions("plan",
		"map", "allow-open", "crashed", "end", "except", "explain",
		"format", "json", "max-steps", "only", "rule", "run", "salvage", "save", "spec", "complete", "limit", "cursor")),
}

// exclusions returns a group of two flags for each excluded flag: the flag and the excluded one.
func exclusions(flag string, excluded ...string) (choices [][]string) {
	for _, name := range excluded {
		choices = append(choices, []string{flag, name})
	}
	return choices
}

// flagsFit returns an error if flags do not fit together: a flag without the flag that it needs, two flags of one
// group of [flagChoices], or --json with another --format. It also refuses an empty argument, which usually comes
// from an empty variable of the shell.
func flagsFit(cmd *cobra.Command, args []string) error {
	completing := strings.HasPrefix(cmd.Name(), cobra.ShellCompRequestCmd) // its last argument may still be empty
	if slices.Contains(args, "") && !completing {
		return fmt.Errorf("%s: an argument is \"\", expected a name", cmd.Name())
	}
	given := cmd.Flags().Changed
	for _, choice := range flagChoices[cmd.Name()] {
		first := ""
		for _, flag := range choice {
			switch {
			case !given(flag):
			case first != "":
				return fmt.Errorf("--%s and --%s: expected one of them", first, flag)
			default:
				first = flag
			}
		}
	}
	needs := flagNeeds[cmd.Name()]
	for _, flag := range slices.Sorted(maps.Keys(needs)) {
		if given(flag) && !slices.ContainsFunc(needs[flag], given) {
			return fmt.Errorf("--%s goes with --%s only", flag, strings.Join(needs[flag], " or --"))
		}
	}
	if format := cmd.Flags().Lookup("format"); format != nil && format.Changed && given("json") && format.Value.String() != "json" {
		return fmt.Errorf("--format %s and --json: expected one of them", format.Value)
	}
	return nil
}
