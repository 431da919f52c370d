package complexity

import (
	"fmt"
	"slices"
)

// Answer says whether a run keeps a budget, or a bound of theory.
type Answer uint8

// The answers. Open is that of a run of which not everything is recorded: the budget holds
// of some runs of which this may be the recording, and not of others. Beside is that of a
// mean or an order, which no single run keeps or breaks.
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

// UnmarshalText reads it.
func (a *Answer) UnmarshalText(word []byte) error {
	i := slices.Index(answerWords[:], string(word))
	if i < 0 {
		return fmt.Errorf("%q, expected one of %v", word, answerWords)
	}
	*a = Answer(i)
	return nil
}
