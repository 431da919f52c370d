package scenario

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

// maxProcesses bounds the processes of a scenario, and so ranges such as 1-1000000000.
const maxProcesses = 100_000

// nodeName matches the name of a node in place of its id: programs that are recorded are called n1, n2, ...
var nodeName = regexp.MustCompile(`\bn(\d)`)

// ParseIDs reads a list of ids and ranges, rising or falling, see [text.ParseNumbers]. n3 is the id 3.
func ParseIDs(list string) ([]int64, error) {
	return text.ParseNumbers(nodeName.ReplaceAllString(list, "$1"), maxProcesses)
}

// parseID reads the id of one process: a number, or the name of a node such as n3.
func parseID(given string) (int64, error) {
	given = nodeName.ReplaceAllString(given, "$1")
	id, err := strconv.ParseInt(given, 10, 64)
	if err != nil || given[0] < '0' || given[0] > '9' { // no sign
		return 0, fmt.Errorf("%q is not a process id, expected a number such as 4", given)
	}
	return id, nil
}

// FormatIDs writes ids in the form of ParseIDs, with rising ranges for three or more. Falling sequences stay
// lists, as in old scenarios.
func FormatIDs(ids []int64) string {
	var b []byte
	for i := 0; i < len(ids); {
		j := i + 1
		for j < len(ids) && ids[j] == ids[j-1]+1 {
			j++
		}
		if j-i < 3 {
			j = i + 1
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, ids[i], 10)
		if j-i >= 3 {
			b = strconv.AppendInt(append(b, '-'), ids[j-1], 10)
		}
		i = j
	}
	return string(b)
}

// appendIDs reads ids and appends them.
func appendIDs(list *[]int64, given string) error {
	ids, err := ParseIDs(given)
	*list = append(*list, ids...)
	return err
}

// shufflePrefix begins a set of ids whose order the seed decides.
const shufflePrefix = "shuffle("

// setIDs reads the processes: a list, "shuffle(LIST)" or, for the processes 1 to N, "shuffle(N)".
func (s *Scenario) setIDs(given string) (err error) {
	if s.IDs != nil {
		return fmt.Errorf("the processes are given already (%s)", s.formatIDs()[0])
	}
	list, called := strings.CutPrefix(strings.TrimSpace(given), shufflePrefix)
	list, closed := strings.CutSuffix(list, ")")
	if called != closed || !called && strings.Contains(list, "(") {
		return fmt.Errorf("%q: expected ids such as 0-7 or 33,17,4,24, or shuffle(8), shuffle(0-7)", given)
	}
	if n, failed := parseID(strings.TrimSpace(list)); called && failed == nil {
		if n < 1 || n > maxProcesses {
			return fmt.Errorf("%q: expected a number of processes from 1 to %d", given, maxProcesses)
		}
		list = fmt.Sprintf("1-%d", n)
	}
	s.IDs, err = ParseIDs(list)
	if err != nil && called {
		err = fmt.Errorf("%q: %w", given, err)
	}
	s.Shuffle = called
	return err
}

// ReverseBits permutes sorted ids: index i, counted from 0, gets the id at the index with the reversed binary
// digits of i, as in 1, 5, 3, 7, 2, 6, 4, 8. Indices beyond the last are left out. On such a ring, and on the
// ring of the greater neighbours, every other process is greater than its neighbours. This is the worst case of
// elections in rounds.
func ReverseBits[E any](ids []E) {
	sorted := slices.Clone(ids)
	digits := bits.Len(uint(len(ids) - 1))
	at := 0
	for i := range uint(1) << digits {
		if place := bits.Reverse(i) >> (bits.UintSize - digits); digits > 0 && place < uint(len(ids)) {
			ids[at] = sorted[place]
			at++
		}
	}
}

// formatIDs writes the processes in the form that setIDs reads.
func (s *Scenario) formatIDs() []string {
	list := FormatIDs(s.IDs)
	if !s.Shuffle {
		return listOfText(list)
	}
	switch n := len(s.IDs); {
	case n == 1:
		list = list + "-" + list // a single number would mean the size of the set
	case n > 2 && list == "1-"+strconv.Itoa(n):
		list = strconv.Itoa(n)
	}
	return []string{shufflePrefix + list + ")"}
}

// Ring returns the ids in ring order. A shuffled order depends only on the set of ids and on the seed.
func (s *Scenario) Ring() []int64 {
	if !s.Shuffle {
		return s.IDs
	}
	ids := ascending(s.IDs)
	words := rand.NewPCG(uint64(s.Seed), 0xd1b54a32d192ed03) // not the words that the network draws
	for i := len(ids) - 1; i > 0; i-- {
		j, _ := bits.Mul64(words.Uint64(), uint64(i+1))
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids
}
