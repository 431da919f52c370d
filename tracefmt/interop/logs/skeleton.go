package logs

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// skeleton returns an incomplete mapping for logs that no rule fits. It has the form of the lines, the process, the
// time, and for each value of the most informative field a rule to complete.
func (s *sample) skeleton(reason string) string {
	x := &suggestion{guesser: &guesser{sample: s, roles: s.roles()}}
	var w strings.Builder
	fmt.Fprintf(
		&w,
		"# %s.\n# Take the rules that matter out of their comments, and say what they are: etrace explain map.\n",
		text.Printable(reason),
	)
	x.writeHead(&w)
	w.WriteString("events:\n")
	field, values := x.telling()
	if field == "" {
		for _, k := range x.sorts(x.roles)[:min(maxLeft, len(x.sorts(x.roles)))] {
			x.writeSeen(&w, "#  # ", k, len(k.samples))
			fmt.Fprintf(&w, "#  - {when: {%s}, note: %s}\n", x.conditionsOf(k, &meaning{}), "line")
		}
		return w.String()
	}
	for _, v := range values {
		fmt.Fprintf(&w, "#  - {when: {%s: %s}, note: %[2]s}\n", quoted(field), inList(v))
	}
	return w.String()
}

// maxTelling bounds the values of the most informative field.
const maxTelling = 40

// telling returns the field whose values best distinguish kinds of lines. It has few values, and each occurs in
// several lines. Time, level and process are excluded.
func (x *suggestion) telling() (field string, values []string) {
	best := 0
	for _, key := range x.shape.keys {
		if key == x.time || key == x.process || key == x.shape.msg {
			continue
		}
		values := x.values(key)
		if len(values) < 2 || len(values) > maxTelling || onlyLevels(values) || 2*x.having(key) < len(x.records) {
			continue
		}
		// More values separate more kinds; a field with the name of an act or type wins over all others.
		score := len(values)
		if slices.Contains(actFields, plainKey(key)) || slices.Contains(typeFields, plainKey(key)) {
			score += maxTelling
		}
		if score > best {
			field, best = key, score
		}
	}
	for v := range x.values(field) {
		values = append(values, v)
	}
	slices.Sort(values)
	return field, values
}
