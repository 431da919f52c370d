package replay

import (
	"bytes"
	"cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Term is the term of a process, its round of elections: a number of any size, or another value, which equals
// itself and has no order. Equal terms are equal in Go. The zero Term is unknown.
type Term struct {
	sort   termSort
	number tracefmt.Number
	// word is a JSON value that is not a number.
	word string
}

// termSort distinguishes unknown terms, numbers and other values.
type termSort uint8

const (
	unknownTerm termSort = iota
	numberTerm
	wordTerm
)

// NumberedTerm is the term of this number.
func NumberedTerm(n int64) Term { return Term{sort: numberTerm, number: tracefmt.WholeNumber(n)} }

// ParseTerm reads a term from a raw JSON value; null and "" are unknown terms.
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

// MaySame reports whether two terms may be equal: they are, or one is unknown.
func (t Term) MaySame(u Term) bool { return t == u || !t.Known() || !u.Known() }

// Before reports whether t is known to be an earlier term than u.
func (t Term) Before(u Term) bool {
	return t.sort == numberTerm && u.sort == numberTerm && t.number.Compare(u.number) < 0
}

// Compare orders terms for lists: unknown ones first, then numbers by their size, then all others.
func (t Term) Compare(u Term) int {
	if c := cmp.Compare(t.sort, u.sort); c != 0 || t.sort != numberTerm {
		return cmp.Or(c, cmp.Compare(t.word, u.word))
	}
	return t.number.Compare(u.number)
}

// JSON returns the term as a JSON value; null if it is unknown.
func (t Term) JSON() []byte {
	switch t.sort {
	case numberTerm:
		return []byte(t.number.String())
	case wordTerm:
		return []byte(t.word)
	}
	return []byte("null")
}

// String returns the term for people, with the word term before it.
func (t Term) String() string {
	if !t.Known() {
		return "a term that is not recorded"
	}
	return "term " + text.Short(string(t.JSON()), 41)
}

// TermFact returns the fact whose completeness decides on terms: assignments to the term variable. If terms are
// recorded without it, that is any event that changes the state of a process.
func (s *State) TermFact() tracefmt.Fact {
	if f := tracefmt.StateOf(s.term); !s.hasTerm || s.coverage.Exists(f) {
		return f
	}
	return tracefmt.Fact{Kind: tracefmt.State}
}

// TermIn returns the term in an event: its own, else the variable that is the term of the run. It is unknown
// if the event has neither.
func (s *State) TermIn(e *tracefmt.Event) Term {
	if e.Term != 0 {
		return NumberedTerm(e.Term)
	}
	value, _ := e.Field(s.term)
	return ParseTerm(value)
}

// Term returns the term of p, a process of the run: the last recorded one, as an event's own or as a variable.
func (s *State) Term(p tracefmt.ProcessID) Term { return s.processes[p].term }

// TermAt returns the event in which p, a process of the run, recorded its term; 0 for none.
func (s *State) TermAt(p tracefmt.ProcessID) tracefmt.Seq { return s.processes[p].termAt }

// ChoiceTerm returns the term in which p, a process of the run, made its choice: the term at that event, else
// the first recorded since. A process in a later term has elected no process in it.
func (s *State) ChoiceTerm(p tracefmt.ProcessID) Term { return s.processes[p].chosenIn }

// HasTerm reports whether any process that may participate ever recorded a term.
func (s *State) HasTerm() bool { return s.hasTerm }

// placeInTerms notes the terms of the choices and roles of a process, after one of its events.
func (s *State) placeInTerms(process tracefmt.ProcessID, at tracefmt.Seq) {
	p := &s.processes[process]
	s.hasTerm = s.hasTerm || p.term.Known() && s.parts[process] != tracefmt.Bystander
	switch {
	case p.LeadingAt == at || !p.leadingIn.Known():
		p.leadingIn = p.term
	case !p.leadingIn.MaySame(p.term):
		// It has stepped down.
		p.LeadingAt = 0
	}
	switch {
	case p.ElectedAt == 0:
		p.chosenIn = Term{}
	case p.ElectedAt == at || !p.chosenIn.Known():
		p.chosenIn = p.term
	}
}
