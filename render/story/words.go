package diagram

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"etrace/tracefmt"
)

// The longest texts, in characters, that are drawn in full.
const (
	maxName    = 16
	maxLabel   = 28
	maxValue   = 14
	maxSummary = 400
	maxTip     = 300
)

// replacement stands for every character that is not to be seen, or that
// would change how its neighbours are seen.
const replacement = '\uFFFD'

// clean returns at most max characters of s, fit to be drawn: one line, no
// control characters, nothing that turns the direction of writing around, no
// towers of accents. What is cut off leaves "…". Traces come from anywhere.
func clean(s string, max int) string {
	if plain(s) && len(s) <= max {
		return s
	}
	var b strings.Builder
	n, marks := 0, 0
	for i, r := range s {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			if marks++; marks > 2 {
				continue
			}
		} else {
			marks = 0
		}
		if n == max-1 && i+utf8.RuneLen(r) < len(s) {
			b.WriteRune('…')
			break
		}
		b.WriteRune(visible(r))
		n++
	}
	return b.String()
}

// plain reports whether s is printable ASCII.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// visible returns r, or what is drawn in its place.
func visible(r rune) rune {
	switch {
	case unicode.IsPrint(r):
		return r
	case unicode.Is(unicode.Zs, r):
		return ' '
	}
	return replacement
}

// helvetica has the widths of the printable ASCII characters, in thousandths
// of the font size; Arial has the same.
var helvetica = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// textWidth estimates how wide the text is in the style of the class: as
// Helvetica for ASCII, on the safe side for everything else.
func textWidth(s string, class Class) float64 {
	sum := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			sum += int(helvetica[r-' '])
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100:
			sum += 1000
		default:
			sum += 700
		}
	}
	style := &Styles[class]
	width := float64(sum) / 1000 * style.Size
	if style.Bold {
		width *= 1.08
	}
	return width
}

// wrap splits the text at its spaces into lines that fit the width.
func wrap(s string, class Class, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case textWidth(line+" "+word, class) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// brief returns what stands behind an event's type, in a few characters: the
// values of its payload, a single field as its value, "(5)", more of them with
// their names. An event from a foreign log speaks in the log's own words.
func brief(e *tracefmt.Event) string {
	if text, ok := logWords(e); ok {
		return text
	}
	return values(e.Payload)
}

// logWords returns the words of a foreign log about an event, without the
// type that they begin with: the content of a message, the text of a note.
func logWords(e *tracefmt.Event) (string, bool) {
	words, ok := e.Field(tracefmt.ContentKey)
	if !ok {
		log, _ := e.Field(tracefmt.LogKey)
		for key, value := range tracefmt.Fields(log) {
			if string(key) == "text" {
				words, ok = value, true
			}
		}
	}
	if !ok || len(words) == 0 || words[0] != '"' {
		return "", false
	}
	text := unquote(words)
	if rest, found := strings.CutPrefix(text, e.Type); found {
		text = rest
	}
	return clean(text, maxLabel), true
}

// values returns the values of a payload that belong to the event itself.
func values(payload []byte) string {
	parts, names := make([]string, 0, 4), make([]string, 0, 4)
	for key, value := range tracefmt.Fields(payload) {
		if string(key) == tracefmt.CausesKey || string(key) == tracefmt.LogKey {
			continue
		}
		if len(parts) == 3 {
			parts, names = append(parts, "…"), append(names, "")
			break
		}
		parts, names = append(parts, plainValue(value)), append(names, clean(string(key), maxName)+" ")
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return "(" + parts[0] + ")"
	}
	for i := range parts {
		if names[i] != "" {
			parts[i] = names[i] + parts[i]
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// noValue is how null is written.
const noValue = "none"

// plainValue returns a JSON value as people write it: strings without
// quotes, lists without brackets and with at most six items.
func plainValue(value []byte) string {
	switch {
	case len(value) == 0 || string(value) == "null":
		return noValue
	case value[0] == '"':
		return clean(unquote(value), maxValue)
	case value[0] == '[':
		return listValue(value)
	case value[0] == '{':
		return clean(strings.NewReplacer(`"`, "", ":", " ", ",", ", ", "{", "", "}", "").Replace(string(value[:min(len(value), 64)])), maxLabel)
	}
	return clean(string(value), maxValue)
}

func unquote(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

const maxItems = 6

func listValue(list []byte) string {
	items := splitList(list, maxItems+1)
	if len(items) > maxItems {
		items[maxItems] = "…"
	}
	return strings.Join(items, ",")
}

// splitList returns the first n items of a JSON list as plain values.
func splitList(list []byte, n int) []string {
	var items []string
	depth, start, quoted := 0, 1, false
	for i := 1; i < len(list) && len(items) < n; i++ {
		c := list[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case (c == ',' || c == ']') && depth == 0:
			if i > start {
				items = append(items, itemValue(list[start:i]))
			}
			start = i + 1
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
	}
	return items
}

// itemValue is plainValue without going into what is nested deeper.
func itemValue(item []byte) string {
	if item[0] == '[' || item[0] == '{' {
		return "…"
	}
	return plainValue(item)
}

// plural writes a count and its noun: "1 message", "2 messages".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ss") {
		noun += "e"
	}
	return group(n) + " " + noun + "s"
}

// group writes a count with thin gaps between the thousands: "12 500".
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && n >= 10_000; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// join writes a list as people do: "a, b and c".
func join(list []string) string {
	switch n := len(list); n {
	case 0:
		return ""
	case 1:
		return list[0]
	default:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}
