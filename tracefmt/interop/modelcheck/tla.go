package modelcheck

import (
	"errors"
	"regexp"
	"strings"
)

// JSONOfTLA returns a value in the syntax of TLA+ as JSON: sets and sequences as arrays, records and functions
// as objects. An unknown value becomes a text.
func JSONOfTLA(s string) []byte {
	v := parseTLA(s)
	return v.appendJSON(nil)
}

// parseTLA reads a value as TLC writes it. A value that cannot be parsed, or has too many parts, becomes a text.
func parseTLA(s string) value {
	left := maxOfState
	return parseWithin(s, &left)
}

// parseWithin reads a value like parseTLA, and subtracts the number of values inside it from left. A negative
// left means that there are too many.
func parseWithin(s string, left *int) value {
	p := tlaParser{input: s, left: left}
	v, err := p.next(0)
	if err != nil || p.peek() != "" {
		return textValue(strings.TrimSpace(s))
	}
	return v
}

// tlaToken matches a token of a value.
var tlaToken = regexp.MustCompile(`^\s*(<<|>>|\|->|:>|@@|\.\.|[{}\[\](),]|-?[0-9]+|[A-Za-z0-9_!]+)`)

var errNoValue = errors.New("no value")

// tlaParser parses a value of TLA+.
type tlaParser struct {
	input string
	token string // the next token if peek was called, otherwise ""
	left  *int   // the number of values that may follow
}

// peek returns the next token: "" at the end, "?" for an invalid token.
func (p *tlaParser) peek() string {
	if p.token == "" && strings.HasPrefix(strings.TrimLeft(p.input, " \n\t\r"), `"`) {
		p.quoted()
	}
	if p.token == "" {
		m := tlaToken.FindStringSubmatchIndex(p.input)
		switch {
		case m != nil:
			p.token, p.input = p.input[m[2]:m[3]], p.input[m[1]:]
		case strings.TrimSpace(p.input) != "":
			p.token = "?"
		}
	}
	return p.token
}

// quoted makes a text in quotes the next token. A text without its closing quote is invalid.
func (p *tlaParser) quoted() {
	from := strings.IndexByte(p.input, '"')
	for i := from + 1; i < len(p.input); i++ {
		switch p.input[i] {
		case '\\':
			i++
		case '"':
			p.token, p.input = p.input[from:i+1], p.input[i+1:]
			return
		}
	}
}

// take returns the next token and moves behind it.
func (p *tlaParser) take() string {
	t := p.peek()
	p.token = ""
	return t
}

func (p *tlaParser) expect(token string) error {
	if p.take() != token {
		return errNoValue
	}
	return nil
}

var constants = map[string]string{"TRUE": "true", "FALSE": "false"}

// next parses the next value. It fails if the value is invalid, nested too deeply, or has too many parts.
func (p *tlaParser) next(depth int) (value, error) {
	*p.left--
	if *p.left < 0 || depth > maxDepth {
		return value{}, errNoValue
	}
	switch t := p.take(); {
	case t == "<<":
		return p.items(list, ">>", depth)
	case t == "{":
		return p.items(set, "}", depth)
	case t == "[":
		return p.pairs(record, "|->", ",", "]", depth)
	case t == "(":
		return p.pairs(table, ":>", "@@", ")", depth)
	case strings.HasPrefix(t, `"`):
		return textValue(unquoteTLA(t)), nil
	case isInteger(t) && p.peek() != "..":
		return value{text: t}, nil
	case constants[t] != "":
		return value{text: constants[t]}, nil
	case t == "" || strings.ContainsAny(t[:1], `<>|:@.{}[](),?-`) || isInteger(t):
		return value{}, errNoValue
	default:
		return textValue(t), nil // a model value
	}
}

// items parses the items of a list or set up to its closing token.
func (p *tlaParser) items(s valueKind, closing string, depth int) (value, error) {
	v := value{kind: s}
	if p.peek() == closing {
		p.take()
		return v, nil
	}
	for {
		item, err := p.next(depth + 1)
		if err != nil {
			return v, err
		}
		v.add(nil, item)
		switch p.take() {
		case ",":
		case closing:
			return v, nil
		default:
			return v, errNoValue
		}
	}
}

// pairs parses a record, a function, or a value in parentheses. arrow separates key and value, between the
// pairs.
func (p *tlaParser) pairs(s valueKind, arrow, between, closing string, depth int) (value, error) {
	v := value{kind: s}
	for {
		key, err := p.next(depth + 1)
		if err != nil {
			return v, err
		}
		if closing == ")" && len(v.keys()) == 0 && p.peek() == closing {
			p.take()
			return key, nil
		}
		if err := p.expect(arrow); err != nil {
			return v, err
		}
		item, err := p.next(depth + 1)
		if err != nil {
			return v, err
		}
		v.add(&key, item)
		switch p.take() {
		case between:
		case closing:
			return v, nil
		default:
			return v, errNoValue
		}
	}
}

var escapesOfTLA = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\f`, "\f")

func unquoteTLA(token string) string { return escapesOfTLA.Replace(token[1 : len(token)-1]) }
