package shiviz

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// pattern is a compiled regex of events, with the numbers of its groups.
type pattern struct {
	*finder
	host, clock, event int
	fields             []fieldGroup
}

// fieldGroup is a named group that becomes a field of the event.
type fieldGroup struct {
	name  string
	group int
}

// form is a known notation of logs: the regexes of events and of delimiters.
type form struct {
	name, regex, delimiter string
}

// knownForms are tried, in this order, on a log that comes without a regex.
var knownForms = []form{
	{"GoVector", `^(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)$`, executionLine},
	{"GoVector with time stamps", `^(?<timestamp>[0-9]+) (?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)$`, executionLine},
	{"ShiViz's default", `^` + defaultParser + `$`, executionLine},
}

const (
	// executionLine matches the line that GoVector writes between executions.
	executionLine = `^=== (?<trace>.*) ===$`
	// defaultParser is the regex that ShiViz uses if line 1 of a file is blank.
	defaultParser = `(?<event>.*)\n(?<host>\S*) (?<clock>{.*})`
)

// compilePattern compiles the regex of events. It fails if the regex is invalid or lacks one of the groups host,
// clock and event.
func compilePattern(expr string) (*pattern, error) {
	re, err := compileJS(expr)
	if err != nil {
		return nil, err
	}
	p := &pattern{finder: newFinder(re)}
	needed := map[string]*int{"host": &p.host, "clock": &p.clock, "event": &p.event}
	for group, name := range re.SubexpNames() {
		if index, ok := needed[name]; ok {
			*index = group
		} else if name != "" {
			p.fields = append(p.fields, fieldGroup{name, group})
		}
	}
	for _, name := range []string{"host", "clock", "event"} {
		if *needed[name] == 0 {
			return nil, missingGroup(name)
		}
	}
	return p, nil
}

// compileDelimiter returns nil for a blank expression.
func compileDelimiter(expr string) (*finder, error) {
	if strings.TrimSpace(expr) == "" {
		return nil, nil
	}
	re, err := compileJS(expr)
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("the delimiter %s matches the empty text, expected one that matches a line between executions", expr)
	}
	return newFinder(re), nil
}

// compileJS compiles a regular expression of JavaScript with the flags g and
// m. Go reads nearly all of that dialect; what it lacks is named.
func compileJS(expr string) (*regexp.Regexp, error) {
	translated, err := translateJS(expr)
	if err != nil {
		return nil, fmt.Errorf("the regex %s: %w", expr, err)
	}
	re, err := regexp.Compile("(?m)" + translated)
	if err != nil {
		return nil, fmt.Errorf("the regex %s: %s", expr, text.PatternMistake(err))
	}
	// Go accepts a group name twice, and then it is not known which one is meant.
	seen := re.SubexpNames()
	for i, name := range seen {
		if name != "" && slices.Contains(seen[:i], name) {
			return nil, fmt.Errorf("the regex %s: two groups are named %s", expr, name)
		}
	}
	return re, nil
}

// lacking are the constructs of JavaScript and XRegExp, which ShiViz uses, that Go's linear-time engine does not
// support.
var lacking = []struct{ start, name string }{
	{`(?=`, "look-ahead"},
	{`(?!`, "negative look-ahead"},
	{`(?<=`, "look-behind"},
	{`(?<!`, "negative look-behind"},
	{`(?#`, "a comment in the regex"},
	{`\k`, "a back-reference"},
	{`\c`, "a control escape"},
}

// translateJS rewrites the escape \uXXXX, whose syntax differs. It fails for constructs that Go does not
// support, and names them.
func translateJS(expr string) (string, error) {
	var b strings.Builder
	class := false
	for i := 0; i < len(expr); {
		tail := expr[i:]
		// Within a class of characters parentheses and question marks are literal.
		if !class || tail[0] == '\\' {
			if name := lackingAt(tail); name != "" {
				return "", fmt.Errorf("%s (%s) is not supported; leave it out, or match more and skip less", name, tail[:min(len(tail), 4)])
			}
		}
		switch {
		case strings.HasPrefix(tail, `\u`) && len(tail) >= 6 && isHex(tail[2:6]):
			b.WriteString(`\x{` + tail[2:6] + `}`)
			i += 6
			continue
		case tail[0] == '\\' && len(tail) > 1:
			b.WriteString(tail[:2])
			i += 2
			continue
		case tail[0] == '[':
			class = true
		case tail[0] == ']':
			class = false
		}
		b.WriteByte(tail[0])
		i++
	}
	return b.String(), nil
}

// lackingAt returns the name of an unsupported construct at the beginning of the text, otherwise "".
func lackingAt(tail string) string {
	for _, c := range lacking {
		if strings.HasPrefix(tail, c.start) {
			return c.name
		}
	}
	if len(tail) > 1 && tail[0] == '\\' && '1' <= tail[1] && tail[1] <= '9' {
		return "a back-reference"
	}
	return ""
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// isParserLine reports whether the first line of a log is its regex.
func isParserLine(line string) bool {
	return strings.Contains(line, "(?<host>") && strings.Contains(line, "(?<clock>")
}

// chooseForm chooses the regexes: those of the options, otherwise those in the first lines of the file,
// otherwise those of a known form that fits. It removes lines with regexes from the text.
func (l *shivizLog) chooseForm(o options) error {
	regex, delimiter, err := l.takeHeader(o)
	if err != nil {
		return err
	}
	if o.delimiter != "" {
		delimiter = o.delimiter
	}
	if o.regex != "" {
		if regex != "" {
			l.reading.Note("line 1 holds a regex, but the given one is used")
		}
		regex = o.regex
	}
	if regex == "" {
		return l.chooseKnownForm(o.delimiter)
	}
	return l.compile(form{"", regex, delimiter})
}

// compile compiles the regexes of a form. It notes a regex that will be slow.
func (l *shivizLog) compile(f form) (err error) {
	l.pattern, err = compilePattern(f.regex)
	if err != nil {
		return l.reading.Errorf(0, "%w", err)
	}
	l.delimiter, err = compileDelimiter(f.delimiter)
	if err != nil {
		return l.reading.Errorf(0, "%w", err)
	}
	if l.pattern.lines == anyLines && len(l.text) > longLog {
		l.reading.Note("the regex can match any number of lines, so that the whole log is searched at once, which is slow; " +
			"[^\\S\\n] is what \\s is within a line")
	}
	return nil
}

// longLog is the size of a log, in bytes, from which a slow regex is noted.
const longLog = 1 << 20

// takeHeader returns the regexes of lines 1 and 2, wrapped as ShiViz wraps
// them. A blank line 1 means the default parser; it is taken for that only
// when line 2 holds a delimiter, since any log may begin with a blank line.
// What the options replace need not compile: it may be in a dialect that only
// its author's tool reads.
func (l *shivizLog) takeHeader(o options) (regex, delimiter string, err error) {
	line1, tail, _ := strings.Cut(l.text, "\n")
	line2, _, _ := strings.Cut(tail, "\n")
	line1, line2 = strings.TrimSpace(line1), strings.TrimSpace(line2)
	if line1 == "" && strings.Contains(line2, "(?<trace>") {
		line1 = defaultParser
	}
	if !isParserLine(line1) {
		return "", "", nil
	}
	if _, err := compilePattern(line1); err != nil && o.regex == "" {
		return "", "", l.reading.Errorf(1, "%w", err)
	}
	if _, err := compileDelimiter(line2); err != nil && o.delimiter == "" {
		return "", "", l.reading.Errorf(2, "%w", err)
	}
	l.start = len(l.text)
	if len(l.lines) > 2 {
		l.start = l.lines[2]
	}
	if line2 != "" {
		line2 = "^(?:" + line2 + ")$"
	}
	return "^(?:" + line1 + ")$", line2, nil
}

// sampleSize is the size of the part of a log on which the known forms are tried.
const sampleSize = 64 << 10

// chooseKnownForm takes the known form that leaves the fewest lines of the
// beginning unexplained, if it explains most of them. A form that expects the
// lines of an event in the wrong order explains nearly all, but not all.
func (l *shivizLog) chooseKnownForm(delimiter string) error {
	sample := l.text[l.start:]
	cut := len(sample) > sampleSize
	if cut {
		sample = sample[:sampleSize]
		sample = sample[:strings.LastIndexByte(sample, '\n')+1]
	}
	best, bestLines := form{}, (nonBlankLines(sample)+1)/2
	for _, f := range knownForms {
		if delimiter != "" {
			f.delimiter = delimiter
		}
		lines, err := f.unexplained(sample, cut)
		if err != nil {
			return l.reading.Errorf(0, "%w", err)
		}
		if lines < bestLines {
			best, bestLines = f, lines
		}
	}
	if best.regex == "" {
		return l.noKnownForm()
	}
	l.reading.Note("no regex given; the log has %s form: %s", best.name, best.regex)
	return l.compile(best)
}

// noKnownForm returns the error for a log without a regex that no known form fits.
func (l *shivizLog) noKnownForm() error {
	known := make([]string, len(knownForms))
	for i, f := range knownForms {
		known[i] = f.name
	}
	line, first := firstLine(l.text[l.start:])
	return l.reading.Errorf(line+l.line(l.start)-1,
		"no regex is given and no known form (%s) fits; say how an event looks, for example %s; here the log says %q",
		strings.Join(known, ", "), exampleRegex, interop.Shorten(first))
}

// unexplained counts the lines outside events and delimiters. After the last event of a cut sample lines do
// not count, since they may be part of another event.
func (f form) unexplained(sample string, cut bool) (int, error) {
	p, err := compilePattern(f.regex)
	if err != nil {
		return 0, err
	}
	d, err := compileDelimiter(f.delimiter)
	if err != nil {
		return 0, err
	}
	if d != nil {
		sample = d.re.ReplaceAllLiteralString(sample, "")
	}
	if events := p.re.FindAllStringIndex(sample, -1); cut && len(events) > 0 {
		sample = sample[:events[len(events)-1][1]]
	}
	return nonBlankLines(p.re.ReplaceAllLiteralString(sample, "")), nil
}

// nonBlankLines counts the lines that are not blank.
func nonBlankLines(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// firstLine returns the first line that is not blank, and its number.
func firstLine(text string) (int, string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line != "" {
			return n, line
		}
	}
	return 1, ""
}
