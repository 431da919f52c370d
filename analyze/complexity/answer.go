package complexity

import (
	"fmt"
	"slices"
)

// Answer is the result of comparing a run with a budget or a published bound.
type Answer uint8

// The answers. Open: the recording is partial, and its unrecorded events decide. Beside: the bound is a mean or an
// order of growth, which a single run can neither keep nor break.
const (
	Kept Answer = iota
	Broken
	Open
	Beside
)

var answerWords = [...]string{Kept: "kept", Broken: "broken", Open: "open", Beside: "beside"}

func (a Answer) String() string { return answerWords[a] }

// MarshalText writes the word of the answer.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the word of an answer.
func (a *Answer) UnmarshalText(word []byte) error {
	i := slices.Index(answerWords[:], string(word))
	if i < 0 {
		return fmt.Errorf("%q, expected one of %v", word, answerWords)
	}
	*a = Answer(i)
	return nil
}
