package spec

import (
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// The types below are the grammar: participle reads it from their tags and fills them in. A quoted word is a word
// of the language only where the grammar expects it, so that a fluent may be called leads; a Keyword is always
// one.

// file is a text of rules. The tags of the types in this file are the grammar, in the notation of participle.
type file struct {
	Items []*item `parser:"@@*"`
}

// item is a fluent or a rule of a file.
type item struct {
	Fluent *fluentItem `parser:"@@"`
	Rule   *ruleItem   `parser:"| @@"`
}

// fluentItem is the definition of a fluent: by a condition on the state (while), or by the events that begin and end
// it. Key is the name of the field whose value is the key of the fluent, "" for a fluent without a key.
type fluentItem struct {
	Pos       lexer.Position
	Tokens    []lexer.Token
	Name      string     `parser:"'fluent' @Ident"`
	Parameter string     `parser:"'(' @Ident"`
	Key       string     `parser:"[ ',' @Ident ] ')'"`
	While     *orExpr    `parser:"( 'while' @@"`
	From      []*pattern `parser:"| 'from' @@ { ',' @@ }"`
	To        []*pattern `parser:"'to' @@ { ',' @@ } )"`
}

// ruleItem is a rule, with an optional name, description and head.
type ruleItem struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Name   string      `parser:"[ 'rule' @Ident"`
	Doc    string      `parser:"[ @( String | Text ) ]"`
	Head   []*headLine `parser:"{ @@ } ':' ]"`
	Body   *ruleBody   `parser:"@@"`
}

// headLine is a line in the head of a rule: the runs that the rule is for, or its source.
type headLine struct {
	Pos     lexer.Position
	Word    string   `parser:"@( 'problem' | 'about' | 'source' | 'needs' | 'presumes' | 'requires' | 'excludes' )"`
	Values  []string `parser:"@( Ident | String | Text ) { ',' @( Ident | String | Text ) }"`
	Request bool     `parser:"| 'on' @'request'"`
	Record  bool     `parser:"| 'of' 'the' @'record'"`
	With    *pattern `parser:"| 'applies' 'with' @@"`
	Else    string   `parser:"'else' @( String | Text )"`
}

// ruleBody is a rule without its head.
type ruleBody struct {
	Tokens []lexer.Token
	Form   form `parser:"@@"`
}

// A form is a kind of rule.
type form interface {
	compile(c *compiler) (*plan, error)
}

// uniqueForm is "unique X per K over P" and "monotone X per K over P".
type uniqueForm struct {
	Pos   lexer.Position
	Word  string    `parser:"@( 'unique' | 'monotone' )"`
	Of    []*orExpr `parser:"@@ { ',' @@ }"`
	Among []*orExpr `parser:"[ 'among' 'different' @@ { ',' @@ } ]"`
	Per   []*orExpr `parser:"[ 'per' @@ { ',' @@ } ]"`
	Over  *pattern  `parser:"'over' @@"`
}

// eachForm is "each A was preceded by B" and "each A leads to B", for one or more B.
type eachForm struct {
	Pos      lexer.Position
	Trigger  *pattern     `parser:"'each' @@"`
	Itself   string       `parser:"( ( @'is' 'or' 'was' | 'was' )"`
	Preceded []*stageExpr `parser:"'preceded' 'by' @@ { 'was' 'preceded' 'by' @@ }"`
	Answers  []*stageExpr `parser:"| 'leads' 'to' @@ { 'leads' 'to' @@ } )"`
	Since    *sumExpr     `parser:"[ 'since' @@ ]"`
	Unless   *pattern     `parser:"[ 'unless' @@ ]"`
}

// stageExpr is an event before or after another one.
type stageExpr struct {
	Quorum  *quorumExpr `parser:"[ @@ ]"`
	Pattern *pattern    `parser:"@@"`
	Within  *duration   `parser:"[ 'within' @@ ]"`
}

// quorumExpr is the number of events, or of distinct values of them, that must precede.
type quorumExpr struct {
	Pos      lexer.Position
	Word     string     `parser:"@( 'more' 'than' | 'at' 'least' )"`
	Bound    *sumExpr   `parser:"@@"`
	Distinct []*sumExpr `parser:"[ 'distinct' @@ { ',' @@ } 'in' ]"`
}

// neverForm is "never P" for a pattern, and "never C", "never possibly C" and "never definitely C" for a condition.
type neverForm struct {
	Pos      lexer.Position
	Pattern  *pattern `parser:"'never' ( @@"`
	Modality string   `parser:"| [ @( 'possibly' | 'definitely' ) ]"`
	Expr     *orExpr  `parser:"@@"`
	For      *orExpr  `parser:"[ 'for' @@ ] )"`
}

// countForm is "at most N P per K", "at least N P per K" and "exactly N P per K". The grammar admits the bound on
// time at two places.
type countForm struct {
	Pos     lexer.Position
	Word    string    `parser:"( 'at' @( 'most' | 'least' ) | @'exactly' )"`
	Bound   *sumExpr  `parser:"@@"`
	Pattern *pattern  `parser:"@@"`
	Before  *duration `parser:"[ 'within' @@ ]"`
	Run     bool      `parser:"[ 'per' ( @'run'"`
	Per     []*orExpr `parser:"| @@ { ',' @@ } ) ]"`
	After   *duration `parser:"[ 'within' @@ ]"`
}

// eventuallyForm is "eventually P" for an event and "eventually C" for a state.
type eventuallyForm struct {
	Pos     lexer.Position
	Pattern *pattern  `parser:"'eventually' ( @@"`
	Expr    *orExpr   `parser:"| @@ )"`
	Within  *duration `parser:"[ 'within' @@ ]"`
}

// endForm is "at end C".
type endForm struct {
	Expr *orExpr `parser:"'at' 'end' @@"`
}

// pattern selects events: by kind, by conditions in parentheses, and by the condition after where.
type pattern struct {
	Pos    lexer.Position
	Tokens []lexer.Token
	Name   string    `parser:"[ @Ident ':' ]"`
	Kinds  []string  `parser:"@Kind { '|' @Kind }"`
	Args   []*orExpr `parser:"[ '(' [ @@ { ',' @@ } ] ')' ]"`
	Where  *orExpr   `parser:"[ 'where' @@ ]"`
}

// duration is a time, with or without a unit.
type duration struct {
	Pos  lexer.Position
	Text string `parser:"@( Duration | Number )"`
	Unit string `parser:"[ @( 'ns' | 'us' | 'ms' | 's' | 'm' | 'h' ) ]"`
}

// orExpr is a disjunction, or c ? x : y. It is the top of the expressions: the types below bind more tightly, in
// their order.
type orExpr struct {
	Tokens []lexer.Token
	Terms  []*andExpr `parser:"@@ { ( 'or' | '||' ) @@ }"`
	Then   *orExpr    `parser:"[ '?' @@"`
	Else   *orExpr    `parser:"':' @@ ]"`
}

// andExpr is a conjunction.
type andExpr struct {
	Tokens []lexer.Token
	Terms  []*notExpr `parser:"@@ { ( 'and' | '&&' ) @@ }"`
}

// notExpr is a quantified condition or a comparison, perhaps negated.
type notExpr struct {
	Tokens     []lexer.Token
	Not        []string     `parser:"{ @( 'not' | '!' ) }"`
	Quantified *quantified  `parser:"( @@"`
	Comparison *compareExpr `parser:"| @@ )"`
}

// quantified is "forall p in S: C" or "exists p in S: C".
type quantified struct {
	Word   string   `parser:"@( 'forall' | 'exists' )"`
	Name   string   `parser:"@Ident"`
	Domain *primary `parser:"'in' @@"`
	Body   *orExpr  `parser:"':' @@"`
}

// compareExpr is a comparison of two sums, a membership "x in (a, b)", or a sum alone.
type compareExpr struct {
	Tokens []lexer.Token
	Left   *sumExpr   `parser:"@@"`
	Op     string     `parser:"[ @( '==' | '=' | '!=' | '<=' | '>=' | '<' | '>' )"`
	Right  *sumExpr   `parser:"@@"`
	In     []*sumExpr `parser:"| 'in' '(' @@ { ',' @@ } ')' ]"`
}

// sumExpr is a sum of products.
type sumExpr struct {
	Tokens []lexer.Token
	Left   *productExpr `parser:"@@"`
	Rest   []*sumTail   `parser:"{ @@ }"`
}

// sumTail is a further term of a sum, with its sign.
type sumTail struct {
	Op    string       `parser:"@( '+' | '-' )"`
	Right *productExpr `parser:"@@"`
}

// productExpr is a product of operands.
type productExpr struct {
	Tokens []lexer.Token
	Left   *unaryExpr     `parser:"@@"`
	Rest   []*productTail `parser:"{ @@ }"`
}

// productTail is a further factor, with its operator.
type productTail struct {
	Op    string     `parser:"@( '*' | '/' | '%' )"`
	Right *unaryExpr `parser:"@@"`
}

// unaryExpr is an operand with minus signs and a power.
type unaryExpr struct {
	Tokens []lexer.Token
	Minus  []string   `parser:"{ @'-' }"`
	Value  *primary   `parser:"@@"`
	Power  *unaryExpr `parser:"[ ( '**' | '^' ) @@ ]"`
}

// primary is a constant, a call, a field, or an expression in parentheses.
type primary struct {
	Tokens   []lexer.Token
	Duration string    `parser:"@Duration"`
	Number   string    `parser:"| ( @Number"`
	Unit     string    `parser:"[ @( 'ns' | 'us' | 'ms' | 's' | 'm' | 'h' ) (?! ':' ) ] )"`
	Text     *string   `parser:"| @String"`
	Constant string    `parser:"| @( 'true' | 'false' | 'null' )"`
	Has      *hasRef   `parser:"| 'has' @@"`
	Call     *callExpr `parser:"| @@"`
	Field    *fieldRef `parser:"| @@"`
	Sub      *orExpr   `parser:"| '(' @@ ')'"`
}

// callExpr is a call of a function or fluent, perhaps with a path into the result.
type callExpr struct {
	Tokens []lexer.Token
	Name   string      `parser:"@Ident '('"`
	Args   []*orExpr   `parser:"[ @@ { ',' @@ } ] ')'"`
	Path   []*stepExpr `parser:"@@*"`
}

// fieldRef is a field of an event, a process variable, or the number n.
type fieldRef struct {
	Name string      `parser:"@Ident"`
	Path []*stepExpr `parser:"@@*"`
}

// hasRef is the field after "has".
type hasRef struct {
	Name string      `parser:"@( String | Ident | Kind )"`
	Path []*stepExpr `parser:"@@*"`
}

// stepExpr is a field of an event or of an object, or an item of a list.
type stepExpr struct {
	Field string `parser:"'.' @( Ident | Kind | String )"`
	Index string `parser:"| '[' ( @Number"`
	Key   string `parser:"| @String ) ']'"`
}

// units are the units of durations. A space may separate the unit from the number, unless a pattern with that
// name follows.
var units = []string{"ns", "us", "ms", "s", "m", "h"}

// anyEvent is the word for an event of any kind, and anyStep for a step of a process.
const (
	anyEvent = "event"
	anyStep  = "step"
)

// keywords cannot be names.
var keywords = []string{
	"and", "exists", "false", "for", "forall", "has", "in", "not", "null", "or", "over", "per", "true", "unless",
	"was", "where", "within",
}

// unreserved are the other words of the grammar. They may be names, too.
var unreserved = []string{
	"about", "among", "applies", "at", "by", "definitely", "different", "distinct", "each", "else", "end",
	"eventually", "exactly", "excludes", "fluent", "from", "is", "leads", "least", "monotone", "most", "more",
	"needs", "never", "of", "on", "possibly", "preceded", "presumes", "problem", "record", "request", "requires",
	"rule", "run", "since", "source", "than", "the", "to", "unique", "while", "with",
}

// kindNames returns the words that name events in patterns.
func kindNames() []string {
	names := []string{anyEvent, anyStep}
	for _, k := range tracefmt.Kinds() {
		names = append(names, k.String())
	}
	return names
}

// language has the tokens. A name may contain hyphens, as names in traces do: a minus between two names needs
// spaces around it. classify turns names into the tokens Keyword and Kind.
var language = sync.OnceValue(func() *lexer.StatefulDefinition { return tokensWith(`[a-zA-Z_]\w*(-[a-zA-Z_]\w*)*`) })

// tokensWith returns the tokens of the language for a pattern of names. The lexer tries the patterns in turn, so the most
// frequent tokens come first. A duration comes before a number, with which it begins.
func tokensWith(name string) *lexer.StatefulDefinition {
	return lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `\s+`},
		{Name: "Ident", Pattern: name},
		{Name: "Operator", Pattern: `==|!=|<=|>=|\*\*|&&|\|\||[-+*/%^<>=!?(),.:|\[\]]`},
		{Name: "String", Pattern: `"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`},
		{Name: "Text", Pattern: "`[^`]*`"},
		{Name: "Duration", Pattern: `\d+(\.\d+)?(ns|us|ms|s|m|h)\b`},
		{Name: "Number", Pattern: `\d+(\.\d+)?([eE][-+]?\d+)?\b`},
		{Name: "Comment", Pattern: `#[^\n]*`},
		{Name: "Keyword", Pattern: noText},
		{Name: "Kind", Pattern: noText},
	})
}

// noText matches no text.
const noText = `[^\s\S]`

// wordClasses maps words to their token type.
var wordClasses = sync.OnceValue(func() map[string]lexer.TokenType {
	classes := map[string]lexer.TokenType{}
	for _, name := range keywords {
		classes[name] = language().Symbols()["Keyword"]
	}
	for _, name := range kindNames() {
		classes[name] = language().Symbols()["Kind"]
	}
	return classes
})

// classify turns a name that is a keyword or an event kind into that token.
func classify(t lexer.Token) (lexer.Token, error) {
	if class, ok := wordClasses()[t.Value]; ok {
		t.Type = class
	}
	return t, nil
}

// parser is built on first use: a command that reads no rules does not pay for it.
var parser = sync.OnceValue(func() *participle.Parser[file] {
	return participle.MustBuild[file](
		participle.Lexer(language()),
		participle.Elide("Comment", "Space"),
		participle.Map(classify, "Ident"),
		participle.UseLookahead(2),
		participle.Union[form](&uniqueForm{}, &eachForm{}, &neverForm{}, &countForm{}, &eventuallyForm{}, &endForm{}),
	)
})

// sourceText returns the text of tokens on one line, without comments.
func sourceText(tokens []lexer.Token) string {
	var b strings.Builder
	gap := ""
	for _, t := range tokens {
		if class := t.Type; class == language().Symbols()["Space"] || class == language().Symbols()["Comment"] {
			gap = " "
			continue
		}
		if b.Len() > 0 {
			b.WriteString(gap)
		}
		b.WriteString(t.Value)
		gap = ""
	}
	return text.Printable(b.String())
}
