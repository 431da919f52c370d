package spec

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"etrace/tracefmt/text"
)

// Error is a mistake in a text of rules. Its message has the place, the expectation, and the line with a caret
// under the place.
type Error struct {
	// File is the name of the text; Line and Column count from 1, Column in
	// characters.
	File         string
	Line, Column int
	// Message describes the mistake and the expectation.
	Message string
	// Source is the line with the mistake.
	Source string
}

func (e *Error) Error() string {
	line, before := e.excerpt()
	return fmt.Sprintf("%s:%d:%d: %s\n    %s\n    %s^", e.File, e.Line, e.Column, e.Message, line, before)
}

// maxShown is the number of characters of a line that an error shows.
const maxShown = 120

// excerpt returns the line, or of a long line the part around the place. before is white space as wide as the text
// in front of the place; tabs stay tabs.
func (e *Error) excerpt() (line, before string) {
	text := []rune(e.Source)
	column := min(e.Column-1, len(text))
	if from := column - maxShown/2; from > 0 && len(text) > maxShown {
		text, column = text[from:], column-from
		text[0] = '…'
	}
	if len(text) > maxShown {
		text = text[:maxShown]
		text[maxShown-1] = '…'
	}
	blank := []rune(strings.Repeat(" ", column))
	for i, r := range text[:column] {
		if r == '\t' {
			blank[i] = r
		}
	}
	return string(text), string(blank)
}

// mistake is an error with a position, but without the text around it.
type mistake struct {
	at      lexer.Position
	message string
}

func (m *mistake) Error() string { return m.message }

// errorf returns a mistake at a position.
func errorf(at lexer.Position, format string, args ...any) error {
	return &mistake{at, fmt.Sprintf(format, args...)}
}

// withLine completes an error with its line.
func withLine(name, source string, err error) error {
	var m *mistake
	var syntax participle.Error
	switch {
	case errors.As(err, &m):
	case errors.As(err, &syntax):
		following := "more of the rule, or the next one: " + someRules
		switch {
		case name == "" && syntax.Position().Offset == 0:
			following = "an event, a fluent or a formula"
		case name == "": // not a file of rules but an expression
			following = "an operator or the end"
		}
		m = explainSyntax(source, syntax, following)
	default:
		return fmt.Errorf("%s: %w", name, err)
	}
	e := &Error{File: name, Line: max(1, m.at.Line), Column: max(1, m.at.Column), Message: m.message}
	if lines := strings.Split(source, "\n"); e.Line <= len(lines) {
		e.Source = printableLine(lines[e.Line-1])
	}
	return e
}

// printableLine keeps tabs and replaces every other invisible character by one mark, so that the caret is at the
// right column.
func printableLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r != utf8.RuneError && text.Printable(string(r)) == string(r) {
			return r
		}
		return '·'
	}, strings.TrimSuffix(s, "\r"))
}

// someRules are the first words of rules.
const someRules = "unique, monotone, each, never, at most, at least, exactly, eventually, at end"

// productions names what the grammar expects.
var productions = map[string]string{
	"Item": "a rule (" + someRules + ") or a fluent", "RuleItem": "a rule", "Form": "a rule (" + someRules + ")",
	"Pattern": "a pattern, such as send or r: receive(type = \"OK\")", "<kind>": "an event kind",
	"<ident>": "a name", "<number>": "a number",
	"OrExpr": "an expression", "AndExpr": "an expression", "NotExpr": "an expression", "CompareExpr": "an expression",
	"SumExpr": "an expression", "ProductExpr": "an expression", "UnaryExpr": "an expression",
	"Primary":  "an expression",
	"Duration": "a time, such as 20 or 1.5s", "CallExpr": "a set of processes, such as live()",
}

// misplaced explains where words of the language belong that were used elsewhere.
var misplaced = map[string]string{
	"possibly":   "expected it after never: never possibly leads(p) and leads(q) for p != q",
	"definitely": "expected it after never: never definitely leads(p) and leads(q) for p != q",
	"eventually": "expected it as a rule of its own: eventually exists p in live(): leads(p); what follows an " +
		"event is: each s: suspect leads to trust(process = s.process)",
	"before": "expected a condition in which it has parentheses, such as: never state(role = \"candidate\") " +
		"where before(role) == \"leader\"",
}

// replacements has the words of the language for words that it does not have.
var replacements = map[string]string{
	"no":       "never: never send where type = \"NO\"",
	"if":       "where: never state where role = \"leader\"",
	"when":     "where: never state where role = \"leader\"",
	"is":       "=: never send where type = \"OK\"",
	"equals":   "=: never send where type = \"OK\"",
	"and":      "one event, and where before a condition of it: never send where type = \"OK\" and peer = 1",
	"or":       "one kind of event in a rule; event is any kind: never event where kind = \"send\" or kind = \"lose\"",
	"always":   "the opposite after never: never count(leads) > 1",
	"preceded": "was before it: each s: state was preceded by receive(process = s.process)",
	"causes":   "leads to: each s: suspect leads to trust(process = s.process)",
	"implies":  "leads to: each s: suspect leads to trust(process = s.process)",
	"then":     "leads to: each s: suspect leads to trust(process = s.process)",
	"followed": "leads to: each s: suspect leads to trust(process = s.process)",
	"leads-to": "leads to: each s: suspect leads to trust(process = s.process)",
	"leads_to": "leads to: each s: suspect leads to trust(process = s.process)",
	"leadsto":  "leads to: each s: suspect leads to trust(process = s.process)",
}

// longUnits are names of units of time that the language abbreviates, or "" for units that it does not write.
var longUnits = map[string]string{
	"nanosecond": "ns", "nanoseconds": "ns", "nanos": "ns", "nsec": "ns",
	"microsecond": "us", "microseconds": "us", "micros": "us", "usec": "us",
	"millisecond": "ms", "milliseconds": "ms", "millis": "ms", "msec": "ms",
	"second": "s", "seconds": "s", "secs": "s", "sec": "s",
	"minute": "m", "minutes": "m", "mins": "m", "min": "m",
	"delay": "", "delays": "", "unit": "", "units": "", "hour": "h", "hours": "h", "hrs": "h", "hr": "h",
}

// insteadOfWithin are words that people write before a limit of time.
var insteadOfWithin = []string{"in", "every", "each", "after", "for"}

// leadingTime matches a text that begins with a time, such as 5s.
var leadingTime = regexp.MustCompile(`^\s+([0-9][0-9.]*[a-z]*)`)

// explainTime explains an unexpected token that is a time, the unit of a time, or a word before a time.
func explainTime(token lexer.Token, before, after string) string {
	isTime := token.Type == language().Symbols()["Duration"] || token.Type == language().Symbols()["Number"]
	switch unit, ok := longUnits[token.Value]; {
	case ok && before != "" && '0' <= before[0] && before[0] <= '9':
		if unit == "" {
			return fmt.Sprintf("unexpected %s, expected the number alone: %s", token.Value, before)
		}
		return fmt.Sprintf("unexpected %s, expected the unit %s: %s%s", token.Value, unit, before, unit)
	case isTime && slices.Contains(insteadOfWithin, before):
		return fmt.Sprintf("unexpected %s %s, expected within %[2]s", before, token.Value)
	}
	if time := leadingTime.FindStringSubmatch(after); time != nil && slices.Contains(insteadOfWithin, token.Value) {
		return fmt.Sprintf("unexpected %s %s, expected within %[2]s", token.Value, time[1])
	}
	return ""
}

// secondField matches the head of a fluent before the comma after its field.
var secondField = regexp.MustCompile(`\bfluent\s+([-\w]+\(\s*\w+\s*,\s*[-\w]+)\s*$`)

// misplacedAt explains an unexpected token if it, or the word before it, is a misplaced word.
func misplacedAt(source string, token lexer.Token) string {
	head := source[:min(token.Pos.Offset, len(source))]
	earlierWords := strings.Fields(head)
	earlierWords = earlierWords[max(0, len(earlierWords)-1):]
	end := min(token.Pos.Offset+len(token.Value), len(source))
	if hint := explainTime(token, strings.Join(earlierWords, ""), source[end:]); hint != "" {
		return hint
	}
	if fluent := secondField.FindStringSubmatch(head); fluent != nil && token.Value == "," {
		const oneField = "unexpected ,, expected ): a fluent has a process and at most one field, as in %s)"
		return fmt.Sprintf(oneField, fluent[1])
	}
	// Within a condition and, or join tests; elsewhere they would join events.
	inCondition := slices.Contains(strings.Fields(head), "where")
	if hint := replacements[token.Value]; hint != "" &&
		!(inCondition && slices.Contains([]string{"and", "or"}, token.Value)) {
		return fmt.Sprintf("unexpected %s, expected %s", token.Value, hint)
	}
	for _, word := range append([]string{token.Value}, earlierWords...) {
		if hint := misplaced[word]; hint != "" {
			return fmt.Sprintf("unexpected %s, %s", word, hint)
		}
	}
	if strings.HasSuffix(head, "[") {
		return fmt.Sprintf("unexpected %s, expected it in quotes: %[1]q", shorten(token.Value))
	}
	if strings.TrimSpace(head[strings.LastIndexByte(head, '\n')+1:]) == "" && strings.HasPrefix(source[end:], ":") {
		return fmt.Sprintf("unexpected %s, expected the word rule before a name: rule %[1]s:", shorten(token.Value))
	}
	isKind := token.Type == language().Symbols()["Kind"]
	if isKind && strings.TrimSpace(head) == "" {
		return beginsWithEvent(token.Value, source[end:])
	}
	if kind := strings.Join(earlierWords, ""); token.Value == "." && slices.Contains(kindNames(), kind) {
		typ := leadingWord.FindString(source[end:])
		return fmt.Sprintf("unexpected ., expected the type of the event in parentheses: %s(type = %q)", kind,
			cmp.Or(typ, "T"))
	}
	if isKind && end < len(source) && source[end] == '.' {
		return fmt.Sprintf("unexpected %s, which is a kind of events; expected the field alone, or after the "+
			"name of the event, as in e: %[1]s where e.time > 3s", token.Value)
	}
	return ""
}

// leadsTo are the ways to write the words that tie two events.
var leadsTo = regexp.MustCompile(`\b(leads?[-_ ]?to|precedes|followed[-_ ]by|implies)\b|[-=~]>`)

// beginsWithEvent names the word that is missing before the event with which a rule begins.
func beginsWithEvent(kind, following string) string {
	if found := leadsTo.FindString(following); found != "" {
		return fmt.Sprintf("unexpected %s at the beginning, did you mean \"each %[1]s ... leads to ...\"?", kind)
	}
	const expected = "unexpected %s at the beginning, expected a word before it, " +
		"such as never %[1]s or each %[1]s leads to ...; rules begin with %s"
	return fmt.Sprintf(expected, kind, someRules)
}

var firstExpected = regexp.MustCompile(`^\(?\s*("[^"]*"(?: "[a-z]+")*|<[a-z]+>|[A-Z]\w*)`)

// explainSyntax words an error of the parser. If a word is similar to a word of the language, the place is that of
// the word. following names what may follow a complete rule.
func explainSyntax(source string, err participle.Error, following string) *mistake {
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return &mistake{err.Position(), lexerMessage(source, err)}
	}
	token := unexpected.Unexpected
	previousWord := wordBefore(source, token.Pos)
	if hint := suggestion(previousWord.Value, kindNames()); hint != "" && !isKnown(previousWord.Value) &&
		suggestion(token.Value, grammarWords()) == "" {
		return unknownWord(previousWord, hint)
	}
	if hint := misplacedAt(source, token); hint != "" {
		return &mistake{token.Pos, hint}
	}
	message := "unexpected end"
	if !token.EOF() {
		message = fmt.Sprintf("unexpected %s", shorten(token.Value))
	}
	_, expected, _ := strings.Cut(err.Message(), " (expected ")
	if m := firstExpected.FindStringSubmatch(expected); m != nil {
		word, known := productions[m[1]]
		if !known {
			word = strings.ReplaceAll(m[1], `"`, "")
		}
		message += ", expected " + word
	}
	if sign := signAcross(source, token); sign != "" {
		return &mistake{token.Pos, message + fmt.Sprintf("; did you mean %q?", sign)}
	}
	// A mistake in the word before the unexpected word is the less likely cause.
	if hint := suggestWord(token.Value); hint != "" {
		return &mistake{token.Pos, message + hint}
	}
	switch hint := suggestWord(previousWord.Value); {
	case hint != "" && token.EOF(): // a field may have any name
		return &mistake{token.Pos, message + hint}
	case hint != "":
		return unknownWord(previousWord, hint)
	}
	if expected == "" {
		message += ", expected " + following
	}
	return &mistake{token.Pos, message}
}

// unknownWord returns the mistake for an unknown word, with a hint at the word that was meant.
func unknownWord(word lexer.Token, hint string) *mistake {
	return &mistake{word.Pos, "unexpected " + shorten(word.Value) + hint}
}

// lexerMessage returns the message of the lexer, or a better one.
func lexerMessage(source string, err participle.Error) string {
	at := err.Position().Offset
	if at < 0 || at >= len(source) {
		return err.Message()
	}
	r, _ := utf8.DecodeRuneInString(source[at:])
	if sign := mathematical[r]; sign != "" {
		return fmt.Sprintf("unexpected character %c, did you mean %q?", r, sign)
	}
	switch r {
	case '"':
		return "the text has no closing quote on its line"
	case ';':
		return "unexpected ;, expected nothing at the end of a rule: the next rule begins with its first word"
	case '\'', '`', '“', '”':
		return fmt.Sprintf("unexpected character %c, expected double quotes around a text", r)
	}
	return fmt.Sprintf("unexpected character %s, expected words and signs of a rule, such as: never count(live()) < 1",
		text.Printable(string(r)))
}

// mathematical has the signs of the language for those of mathematics.
var mathematical = map[rune]string{'≤': "<=", '≥': ">=", '≠': "!=", '∧': "and", '∨': "or", '¬': "not", '·': "*", '×': "*"}

// signAcross returns the sign that the unexpected sign and the one before it were meant to be, as in "< =" and "=<".
func signAcross(source string, unexpected lexer.Token) string {
	text := strings.TrimSpace(source[:min(unexpected.Pos.Offset, len(source))])
	if text == "" {
		return ""
	}
	switch before := text[len(text)-1:]; {
	case unexpected.Value == "=" && strings.Contains("<>!", before):
		return before + "="
	case before == "=" && strings.Contains("<>", unexpected.Value):
		return unexpected.Value + "="
	}
	return ""
}

var (
	leadingWord = regexp.MustCompile(`^[-\w]+`)
	lastWord    = regexp.MustCompile(`[-\w]+\W*$`)
)

// wordBefore returns the word before a place, without a text in quotes: after "never sned where" the parser finds where
// unexpected.
func wordBefore(source string, at lexer.Position) lexer.Token {
	text := strings.TrimRight(source[:min(at.Offset, len(source))], " \t\r\n")
	found := lastWord.FindStringIndex(text)
	if found == nil || strings.HasSuffix(text, `"`) {
		return lexer.Token{}
	}
	begin := text[:found[0]]
	word := strings.TrimRightFunc(text[found[0]:], func(r rune) bool { return !isWordRune(r) })
	line := begin[strings.LastIndexByte(begin, '\n')+1:]
	return lexer.Token{Value: word, Pos: lexer.Position{
		Offset: found[0], Line: strings.Count(begin, "\n") + 1, Column: utf8.RuneCountInString(line) + 1,
	}}
}

func isWordRune(r rune) bool {
	return r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// grammarWords are the words of the language that are no names of events, fields or functions.
func grammarWords() []string { return slices.Concat(unreserved, keywords) }

// languageWords are all words of the language.
func languageWords() []string {
	known := slices.Concat(kindNames(), grammarWords())
	for _, c := range columns {
		known = append(known, c.name)
	}
	return known
}

func isKnown(word string) bool { return slices.Contains(languageWords(), word) }

// suggestWord asks whether a word of the language was meant; "" if the word is one, or no word is similar.
func suggestWord(word string) string {
	if isKnown(word) {
		return ""
	}
	return suggestion(word, languageWords())
}

// suggestion asks whether a similar known word was meant; "" if no word is similar.
func suggestion(word string, known []string) string {
	if len(word) < 2 {
		return ""
	}
	known = slices.Clone(known)
	slices.SortStableFunc(known, func(a, b string) int { return sharesInitial(b, word) - sharesInitial(a, word) })
	if near := text.Nearest(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// sharesInitial returns 1 if both words begin alike: among equally similar words, such a word is preferred.
func sharesInitial(a, b string) int {
	if a[0] == b[0] {
		return 1
	}
	return 0
}
