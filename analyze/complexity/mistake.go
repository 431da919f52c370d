package complexity

import (
	"errors"
	"regexp"
	"strings"

	"etrace/tracefmt/text"
)

// position is where expr says that a mistake is: line and column, from 0.
var position = regexp.MustCompile(` \(\d+:\d+\)$`)

// mistakes are the errors of expr, and what they mean. $1, $2 and $3 are what the
// groups matched, types in words; a group called name is a name of the budget.
var mistakes = []struct {
	expr *regexp.Regexp
	says string
}{
	{regexp.MustCompile(`integer divide by zero`), "a remainder of a division by zero"},
	{regexp.MustCompile(`unexpected token EOF|^unexpected end of expression`), "ends where more is expected"},
	{regexp.MustCompile(`unexpected token \w+\((".*")\)`), "unexpected $1"},
	{regexp.MustCompile(`^unrecognized character: U\+\w+ '(.*)'`), `unexpected "$1"`},
	{regexp.MustCompile(`^literal not terminated`), "a text without its closing quote"},
	{regexp.MustCompile(`^invalid (?:hex|float|binary|octal|integer) literal|literal is too large`), "no number, or one that is too large"},
	{regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)`), "$1 does not go between $2 and $3"},
	{regexp.MustCompile(`^invalid operation: (\S+) \(mismatched type (.+)\)`), "$1 does not go before $2"},
	{regexp.MustCompile(`^expected bool, but got (.+)`), "the value is $1, expected a comparison, which is true or false"},
	{regexp.MustCompile(`^non-bool expression \(type (.+)\) used as condition`), "the condition is $1, expected a comparison"},
	{regexp.MustCompile(`^cannot use (.+) as argument \(type (.+)\) to call (\S+)`), "$3 takes $2, not $1"},
	{regexp.MustCompile(`^invalid argument for (\S+) \(type (.+)\)`), "$1 takes a number, not $2"},
	{regexp.MustCompile(`^no matching overload for (\S+)`), "$1 takes a number"},
	{regexp.MustCompile(`^(?:not enough|too many) arguments to call (\S+)`), "$1 takes another number of arguments"},
	{regexp.MustCompile(`^invalid number of arguments`), "another number of arguments is expected"},
	{regexp.MustCompile(`^type (.+) has no (?:field|method) (?P<name>.+)`), "$1 has no $2"},
	{regexp.MustCompile(`^type (.+)\[.+\] is undefined|^type (.+) does not support indexing`), "$1$2 has nothing to pick"},
	{regexp.MustCompile(`^cannot use (.+) to get an element from (.+)`), "$2 has nothing under $1"},
	{regexp.MustCompile(`^(\S+) is not callable`), "$1 is no function"},
}

// habits are how formulas are written elsewhere, and what is written here instead. $0 is what the
// expression matched, $1 and $2 what its groups did.
var habits = []struct {
	expr *regexp.Regexp
	says string
}{
	{regexp.MustCompile(`\b([0-9]+(?:\.[0-9]+)?)\s*([A-DF-Za-df-z]\w*|\()`), "${0}: an operator is missing, expected ${1}*${2}"},
	{regexp.MustCompile(`\bn\s*\(`), "${0}: an operator is missing, expected n*("},
	{regexp.MustCompile(`\)\s*(\w+|\()`), "${0}: an operator is missing, expected )*${1}"},
	{regexp.MustCompile(`(\w+|\))²`), "${0}: expected ${1}^2"},
	{regexp.MustCompile(`(\w+|\))³`), "${0}: expected ${1}^3"},
	{regexp.MustCompile(`[·×⋅]`), "${0}: expected *"},
	{regexp.MustCompile(`[−–]`), "${0}: expected -"},
	{regexp.MustCompile(`\b(?:ln|log|lg|ld|log10)\b`), "there is no $0, expected log2(n), to the base 2, or H(n), the harmonic number, which is about 0.577 above the natural logarithm"},
}

// habit says which habit from elsewhere a formula shows that is none, else what is wrong with it.
func habit(formula string, err error) error {
	for _, h := range habits {
		if at := h.expr.FindStringSubmatchIndex(formula); at != nil {
			return errors.New(string(h.expr.ExpandString(nil, h.says, formula, at)))
		}
	}
	return err
}

// goTypes are the types of values as people call them.
var goTypes = map[string]string{
	"map[string]int64": "a table of numbers", "map[string]interface {}": "a table", "[]interface {}": "a list", "interface {}": "a value",
	"float64": "a number", "int64": "a number", "int": "a number", "string": "a text", "bool": "a truth", "nil": "nothing",
}

// typeWords says a type of Go in words. What is no type, such as an operator of
// the budget, stays as it is.
func typeWords(s string) string {
	if words := goTypes[s]; words != "" {
		return words
	}
	if strings.HasPrefix(s, "func(") {
		return "a function"
	}
	return s
}

// explained says an error of expr in the words of etrace, on one line. An
// unknown name gets the nearest of those that are known.
func explained(err error, known []string) string {
	said := position.ReplaceAllString(firstLine(err), "")
	if name, unknown := strings.CutPrefix(said, "unknown name "); unknown {
		return text.Unknown("name", name, known).Error()
	}
	for _, m := range mistakes {
		at := m.expr.FindStringSubmatchIndex(said)
		if at == nil {
			continue
		}
		var groups []string
		for i := 2; i < len(at); i += 2 {
			if at[i] < 0 {
				groups = append(groups, "$"+string(rune('0'+i/2)), "")
				continue
			}
			group := said[at[i]:at[i+1]]
			if m.expr.SubexpNames()[i/2] != "name" {
				group = typeWords(group)
			}
			groups = append(groups, "$"+string(rune('0'+i/2)), group)
		}
		return strings.NewReplacer(groups...).Replace(m.says)
	}
	return said
}
