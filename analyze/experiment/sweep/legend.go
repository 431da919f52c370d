package sweep

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Legend gives each published bound a mark, [a], [b] and so on, and explains the marks below the table.
type Legend struct{ bounds []*tracefmt.Bound }

// Mark returns the mark of a bound.
func (l *Legend) Mark(b *tracefmt.Bound) string {
	i := slices.IndexFunc(l.bounds, func(o *tracefmt.Bound) bool { return sameBound(o, b) })
	if i < 0 {
		i, l.bounds = len(l.bounds), append(l.bounds, b)
	}
	const letters = 'z' - 'a' + 1
	mark := string(rune('a' + i%letters))
	if i >= letters {
		mark += fmt.Sprint(i / letters)
	}
	return "[" + mark + "]"
}

// Lines explains the marks in use, and the names in the formulas.
func (l *Legend) Lines() (lines []string) {
	formulas, given := "", map[string]int64{}
	for _, b := range l.bounds {
		line := l.Mark(b) + " " + claim(b) + ", of " + convention(b)
		if b.If != "" {
			line += ", if " + b.If
		}
		if b.Delays == tracefmt.UnitDelays {
			line += ", where each message takes one unit of time"
		}
		if b.Source != "" {
			line += " (" + b.Source + ")"
		}
		lines = append(lines, text.Printable(line))
		formulas += " " + b.Messages + " " + b.If
		maps.Copy(given, b.Given)
	}
	if names := explainNames(formulas, given); names != "" {
		lines = append(lines, "in the formulas, "+names)
	}
	return lines
}

// boundWord is a name in formulas with its explanation.
type boundWord struct{ name, doc string }

// boundWords explain the names in the formulas of bounds.
var boundWords = []boundWord{
	{"n", "processes, without clients"},
	{"live", "processes that are up at the first message"},
	{"starts", "processes that start"},
	{"above", "ids above the lowest starting id"},
	{"top", "the process with the greatest id is up"},
	{"edges", "pairs of neighbours"},
}

var formulaNames = regexp.MustCompile(`[A-Za-z]\w*`)

// explainNames returns an explanation of the names in the formulas; "" if n is the only one. Other given names
// are parameters of the algorithm, or, like variant_isis, 1 if a parameter has that value.
func explainNames(formulas string, given map[string]int64) string {
	names := formulaNames.FindAllString(formulas, -1)
	var words []string
	for _, w := range boundWords {
		if slices.Contains(names, w.name) {
			words = append(words, w.name+": "+w.doc)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		isExplained := slices.ContainsFunc(boundWords, func(w boundWord) bool { return w.name == name })
		switch param, value, comparesValue := strings.Cut(name, "_"); {
		case isExplained, !slices.Contains(names, name): // explained above, or not in the formulas
		case comparesValue:
			words = append(words, fmt.Sprintf("%s: 1 where the parameter %s is %s, else 0", name, param, value))
		default:
			words = append(words, name+": the parameter")
		}
	}
	if len(words) == 1 && strings.HasPrefix(words[0], "n:") {
		return ""
	}
	return strings.Join(words, "; ")
}
