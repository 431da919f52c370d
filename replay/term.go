package replay

import (
	"bytes"
	"cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Term is the term of a process, its round of elections: a number of any size, or
// another value, which equals itself and has no order. Equal terms are equal in Go. The
// zero Term is one that is not known.
type Term struct {
	sort   termSort
	number tracefmt.Number
	word   string // the JSON value that is no number
}

type termSort uint8

const (
	unknownTerm termSort = iota
	numberTerm
	wordTerm
)

// NumberedTerm is the term of this number.
func NumberedTerm(n int64) Term { return Term{sort: numberTerm, number: tracefmt.WholeNumber(n)} }

// ParseTerm reads a term from a raw JSON value; null and "" are none.
func ParseTerm(value []byte) Term {
	if n, ok := tracefmt.ParseNumber(value); ok {
		return Term{sort: numberTerm, number: n}
	}
	if word := string(bytes.TrimSpace(value)); word != "" && word != "null" && word != `""` {
		return Term{sort: wordTerm, word: word}
	}
	return Term{}
}

// Known reports whether the term is known.
func (t Term) Known() bool { return t.sort != unknownTerm }

// MaySame reports whether two terms may be one, as far as is known.
func (t Term) MaySame(u Term) bool { return t == u || !t.Known() || !u.Known() }

// Before reports whether t is known to be an earlier term than u.
func (t Term) Before(u Term) bool {
	return t.sort == numberTerm && u.sort == numberTerm && t.number.Compare(u.number) < 0
}

// Compare puts terms in an order for lists: those that are not known, then numbers by
// their size, then all others.
func (t Term) Compare(u Term) int {
	if c := cmp.Compare(t.sort, u.sort); c != 0 || t.sort != numberTerm {
		return cmp.Or(c, cmp.Compare(t.word, u.word))
	}
	return t.number.Compare(u.number)
}

// JSON returns the term as a JSON value, null for one that is not known.
func (t Term) JSON() []byte {
	switch t.sort {
	case numberTerm:
		return []byte(t.number.String())
	case wordTerm:
		return []byte(t.word)
	}
	return []byte("null")
}

// String is the term for people, with the word term before it.
func (t Term) String() string {
	if !t.Known() {
		return "a term that is not recorded"
	}
	return "term " + text.Short(string(t.JSON()), 41)
}

// TermFact is that a process tells its term: by assigning the variable or, where none of
// that name occurs and terms are told all the same, by any event that changes its state.
func (s *State) TermFact() tracefmt.Fact {
	if f := tracefmt.StateOf(s.term); !s.hasTerm || s.coverage.Exists(f) {
		return f
	}
	return tracefmt.Fact{Kind: tracefmt.State}
}

// TermIn returns the term that an event tells: its own, else the variable that is the
// term of the run. It is not known where the event tells none.
func (s *State) TermIn(e *tracefmt.Event) Term {
	if e.Term != 0 {
		return NumberedTerm(e.Term)
	}
	value, _ := e.Field(s.term)
	return ParseTerm(value)
}

// Term returns the term of p, a process of the run: that of the last event in which
// it told one, as the event's own or as a variable.
func (s *State) Term(p tracefmt.ProcessID) Term { return s.processes[p].term }

// TermAt returns the event in which p, a process of the run, told its term, 0 for none.
func (s *State) TermAt(p tracefmt.ProcessID) tracefmt.Seq { return s.processes[p].termAt }

// ChoiceTerm returns the term in which p, a process of the run, has elected whom it has
// elected: that in which it said so, else the first that it told since. A process that
// has gone on to a later term has elected no process in it.
func (s *State) ChoiceTerm(p tracefmt.ProcessID) Term { return s.processes[p].chosenIn }

// TellsTerm reports whether any process that may take part ever told a term.
func (s *State) TellsTerm() bool { return s.hasTerm }

// placeInTerms notes in which terms a process said what it did, after an event of it.
func (s *State) placeInTerms(of tracefmt.ProcessID, at tracefmt.Seq) {
	p := &s.processes[of]
	s.hasTerm = s.hasTerm || p.term.Known() && s.parts[of] != tracefmt.StandsBy
	switch {
	case p.SaidAt == at || !p.saidIn.Known():
		p.saidIn = p.term
	case !p.saidIn.MaySame(p.term):
		p.SaidAt = 0 // it has stepped down
	}
	switch {
	case p.ElectedAt == 0:
		p.chosenIn = Term{}
	case p.ElectedAt == at || !p.chosenIn.Known():
		p.chosenIn = p.term
	}
}
