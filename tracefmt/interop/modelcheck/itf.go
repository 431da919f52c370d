package modelcheck

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/interop"
)

// ITF reads behaviours in the Informal Trace Format. The package comment describes the events of states. The
// status in the file is no verdict: Apalache also reports a requested example as a violation.
var ITF = interop.Format{
	Name:        "itf",
	Doc:         "ITF: behaviours of Apalache and Quint",
	Describe:    describe,
	Source:      "apalache-mc.org, ADR 015; Quint 0.22 and 0.25",
	Detect:      detectITF,
	Read:        readITF,
	ReadOptions: []interop.Option{variablesOption},
}

var (
	signOfITF  = regexp.MustCompile(`^\s*\{\s*("#meta"\s*:\s*\{[^{}]*"format"\s*:\s*"ITF"|"(params|vars)"\s*:\s*\[)`)
	statesSign = regexp.MustCompile(`"states"\s*:\s*\[`)
)

func detectITF(head []byte) interop.Confidence {
	head = []byte(strings.TrimPrefix(string(head), "\uFEFF"))
	sign := signOfITF.FindSubmatch(head)
	return interop.SureIf(sign != nil && (len(sign[2]) == 0 || statesSign.Match(head)))
}

// readITF reads a file in ITF.
func readITF(r *interop.Reading) error {
	b, err := newBehaviour(r, false)
	if err != nil {
		return err
	}
	number := 0
	doc, err := readJSON(r, "states", func(v *value) error {
		s, err := b.stateOfITF(v, number)
		if err != nil {
			return err
		}
		number++
		return b.add(s)
	})
	if err != nil {
		return err
	}
	if _, ok := doc.field("states"); !ok {
		return r.Errorf(r.Line(int(doc.line)), `expected a list "states" in the document`)
	}
	meta, _ := doc.field("#meta")
	if source, _ := meta.field("source"); source.isText() {
		b.Note("the behaviour is of %s", source.plain())
	}
	if status, ok := meta.field("status"); ok {
		b.Note("the file calls the behaviour %q, which is no verdict on what happens in it", status.plain())
	}
	if loop, ok := doc.field("loop"); ok {
		target, err := strconv.Atoi(loop.text)
		if err != nil || target < 0 || target >= number {
			return r.Errorf(r.Line(int(loop.line)), "loop is %s, expected the index of a state", loop.json())
		}
		b.addLoop(int(loop.line), target, target == number-1)
	}
	b.finish()
	return nil
}

// Names of Quint's descriptions of a step.
var (
	actionVariables    = []string{"mbt::actionTaken", "action_taken"}
	parameterVariables = []string{"mbt::nondetPicks", "nondet_picks"}
)

// stateOfITF returns an object of the list states as a state with its action and its variables.
func (b *behaviour) stateOfITF(v *value, number int) (*state, error) {
	if v.kind != record {
		return nil, b.r.Errorf(b.r.Line(int(v.line)), "state %d is no object", number)
	}
	s := &state{line: b.r.Line(int(v.line)), number: number}
	for _, f := range v.fields() {
		refined := refine(f.value)
		switch {
		case f.name == "#meta": // facts on the file
		case slices.Contains(actionVariables, f.name):
			s.action = refined.plain()
		case slices.Contains(parameterVariables, f.name):
			for _, pick := range refined.fields() {
				if pick.text != null.text {
					s.parameters = append(s.parameters, pick)
				}
			}
		default:
			s.variables = append(s.variables, named{f.name, refined})
		}
	}
	return s, nil
}

// refine replaces the special keys of ITF, which begin with #, and the variants of optional values by plain
// values.
func refine(v value) value {
	for i := range v.items() {
		v.items()[i] = refine(v.items()[i])
	}
	if v.kind != record {
		return v
	}
	if len(v.items()) == 1 && strings.HasPrefix(v.keys()[0].plain(), "#") {
		return special(v, v.keys()[0].plain(), v.items()[0])
	}
	tag, tagged := v.field("tag")
	content, valued := v.field("value")
	// Apalache writes options as variants with two fields; a record that happens to have these keys has another tag.
	switch {
	case len(v.items()) != 2 || !tagged || !valued:
	case tag.plain() == "Some":
		return content
	case tag.plain() == "None" && content.kind == list && len(content.items()) == 0:
		null := null
		null.line = v.line
		return null
	}
	return v
}

// special returns the value of a special key such as #set. A malformed value stays unchanged.
func special(v value, key string, content value) value {
	switch {
	case key == "#set" && content.kind == list:
		content.kind = set
	case key == "#tup" && content.kind == list:
	case key == "#bigint" && isInteger(content.plain()):
		content.text = content.plain()
	case key == "#unserializable":
	case key == "#map" && isPairs(content):
		t := value{kind: table, line: v.line}
		for _, pair := range content.items() {
			t.add(&pair.items()[0], pair.items()[1])
		}
		return t
	default:
		return v
	}
	return content
}

// isPairs reports whether the value is a list of lists with two items.
func isPairs(v value) bool {
	return v.kind == list && !slices.ContainsFunc(v.items(), func(p value) bool { return p.kind != list || len(p.items()) != 2 })
}

var integer = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func isInteger(s string) bool { return integer.MatchString(s) }
