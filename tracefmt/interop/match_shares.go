package interop

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// Messages with names are paired by several tasks, see [Shares.Match]: both ends of a message are in one group, by the hash
// of its name. A match begins with a line with its format. Then come the pairs of its groups, its account, and an accountTail.

const (
	matchFormat = "etrace.import-match/1"
	matchHead   = `{"format":"` + matchFormat + `"}` + "\n"
)

// matchAccount describes a match.
type matchAccount struct {
	Tool   string   `json:"tool"`
	Shares []string `json:"shares"` // the sums of their accounts
	// Open: some message of a group has several possible pairs of ends, so that all events together decide.
	Open   bool           `json:"open,omitempty"`
	First  int            `json:"first"` // the number of the first group
	Groups []messageGroup `json:"groups"`
}

var matchMark = [8]byte([]byte("etrmatc1"))

// IsMatch reports whether a file begins as a match does.
func IsMatch(file ShareFile) bool {
	head := make([]byte, len(matchHead))
	_, err := file.ReadAt(head, 0)
	return err == nil && string(head) == matchHead
}

// sums returns what identifies the shares.
func (s *Shares) sums() (sums []string) {
	for _, share := range s.list {
		sums = append(sums, hex.EncodeToString(share.tail.Sum[:]))
	}
	return sums
}

// nameless reports whether some message has no name.
func (s *Shares) nameless() bool {
	return slices.ContainsFunc(s.list, func(share *openShare) bool {
		return share.account.Entries != nil && share.account.Entries.Nameless
	})
}

// Match pairs the ends of messages of the groups of task i of n, and writes the match to w. It is of use only if all
// messages have names.
func (s *Shares) Match(tool string, i, n int, w io.Writer) error {
	groups := len(s.list)
	first, last := piece(groups, i, n), piece(groups, i+1, n)
	account := &matchAccount{Tool: tool, Shares: s.sums(), Open: s.nameless() || s.AtOnce() != "", First: first, Groups: []messageGroup{}}
	out, at := bufio.NewWriterSize(w, 1<<16), int64(len(matchHead))
	if _, err := out.WriteString(matchHead); err != nil {
		return err
	}
	for number := first; number < last; number++ {
		group := messageGroup{At: at}
		if !account.Open {
			pairs, open, err := s.matchGroup(number)
			if err != nil {
				return err
			}
			account.Open = open
			group.Len, group.Sum = int64(len(pairs)), crc32.Checksum(pairs, castagnoli)
			if _, err := out.Write(pairs); err != nil {
				return err
			}
		}
		at += group.Len
		account.Groups = append(account.Groups, group)
	}
	line, err := sealed.Marshal(account)
	if err != nil {
		return err
	}
	_, err = out.Write(withTail(line, at, matchMark))
	return errors.Join(err, out.Flush())
}

// matchGroup pairs the ends of messages of a group. open is true if pairs are not certain.
func (s *Shares) matchGroup(number int) (pairs []byte, open bool, err error) {
	r := &Reading{Input: NewSlicedInput("", nil, nil), settings: Settings{Memory: defaultMemory}, store: spill.New(defaultMemory)}
	defer r.store.Close()
	b := r.Build(tracefmt.Run{})
	var ids []eventID // in the run
	first := eventID(0)
	for _, share := range s.list {
		from := share.account.Entries
		if from == nil {
			continue
		}
		a := &absorber{Builder: b, share: share}
		a.addNames(from)
		ids, err = a.addEnds(from, number, first, ids)
		if err != nil {
			return nil, false, err
		}
		first += eventID(from.Events)
	}
	b.mergeAliases()
	last := eventID(0)
	certain := b.certainPairs(r.store, func(p endPair) {
		half := uint64(0)
		if p.half {
			half = 1
		}
		end := ids[p.end]
		pairs = binary.AppendUvarint(pairs, uint64(end-last)<<1|half)
		pairs = binary.AppendVarint(pairs, int64(ids[p.first]-end))
		last = end
	})
	if !certain {
		return nil, true, nil
	}
	return pairs, false, r.store.Err()
}

// addEnds adds the ends of messages of a group, and their numbers in the run to ids. first is the number of the first
// event of the share.
func (a *absorber) addEnds(from *entriesAccount, number int, first eventID, ids []eventID) ([]eventID, error) {
	if number >= len(from.Groups) {
		return nil, fmt.Errorf("%s: no group %d of messages", a.share.file.Name, number)
	}
	data, err := a.share.group(from.Groups[number])
	if err != nil {
		return nil, err
	}
	r := &orderReader{data: data}
	for last := eventID(0); len(r.data) > 0; {
		last += eventID(r.number())
		e := event{
			kind: tracefmt.Kind(r.number()), host: a.host(hostID(r.number()) - 1), peer: a.host(hostID(r.number()) - 1), life: int32(r.number()),
			named: true, previous: noEvent, partner: noEvent, first: noEvent,
		}
		if len(r.data) < 16 {
			r.failed = true
		}
		if r.failed {
			return nil, fmt.Errorf("%s: the messages of the share were changed", a.share.file.Name)
		}
		e.name = digest{binary.LittleEndian.Uint64(r.data), binary.LittleEndian.Uint64(r.data[8:])}
		r.data = r.data[16:]
		a.ends++
		a.events.Add(e)
		ids = append(ids, first+last)
	}
	return ids, nil
}

// group returns the bytes of a group of messages.
func (s *openShare) group(g messageGroup) ([]byte, error) {
	if g.At < s.tail.Groups || g.Len < 0 || g.At+g.Len > s.tail.Account {
		return nil, fmt.Errorf("%s: %w", s.file.Name, errCutShare)
	}
	data := make([]byte, g.Len)
	_, err := s.file.ReadAt(data, g.At)
	if err == nil && crc32.Checksum(data, castagnoli) != g.Sum {
		err = errors.New("the messages of the share were changed")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.file.Name, err)
	}
	return data, nil
}

// Matches are the pairs of messages of an import.
type Matches struct {
	open   bool
	groups []matchedGroup
}

// matchedGroup are the pairs of a group.
type matchedGroup struct {
	file ShareFile
	messageGroup
}

// AddMatches adds the matches of the shares. It fails unless they are all of the shares.
func (s *Shares) AddMatches(tool string, files []ShareFile) error {
	if len(files) == 0 {
		return nil
	}
	m := &Matches{groups: make([]matchedGroup, len(s.list))}
	for _, file := range files {
		if err := m.addFile(tool, file, s.sums()); err != nil {
			return fmt.Errorf("%s: %w", text.Printable(file.Name), err)
		}
	}
	for i, g := range m.groups {
		if g.file.ReaderAt == nil {
			return fmt.Errorf("no match has the messages of group %d of %d, expected all matches", i, len(m.groups))
		}
	}
	if !m.open {
		s.matches = m
	}
	return nil
}

// addFile adds the match in a file.
func (m *Matches) addFile(tool string, file ShareFile, sums []string) error {
	var a matchAccount
	end, err := readAccount(file, int64(len(matchHead)), matchMark, &a, "match")
	if err != nil {
		return err
	}
	switch {
	case a.Tool != tool:
		return fmt.Errorf("a match of %s, and this is %s; expected the same", text.Printable(a.Tool), tool)
	case !slices.Equal(a.Shares, sums):
		return errors.New("a match of other shares, expected one of these")
	case a.First < 0 || a.First+len(a.Groups) > len(m.groups):
		return errChangedMatch
	}
	// If one group is open, the order pairs all messages: which ends belong together depends on all events.
	m.open = m.open || a.Open
	for i, g := range a.Groups {
		if g.At < 0 || g.Len < 0 || g.At+g.Len > end {
			return errChangedMatch
		}
		if m.groups[a.First+i].file.ReaderAt != nil {
			return fmt.Errorf("the messages of group %d again, expected each once", a.First+i)
		}
		m.groups[a.First+i] = matchedGroup{file, g}
	}
	return nil
}

var errChangedMatch = errors.New("the match was changed")

// joinMatched joins the ends that tasks have paired, in the order of the entries.
func (b *Builder) joinMatched() error {
	var err error
	var streams pairStreams
	for i := range b.matched.groups {
		g := &b.matched.groups[i]
		sum := crc32.New(castagnoli)
		r := bufio.NewReader(io.TeeReader(io.NewSectionReader(g.file, g.At, g.Len), sum))
		pair := endPair{}
		streams.add(func() (endPair, bool) {
			number, failed := binary.ReadUvarint(r)
			if failed == io.EOF && sum.Sum32() == g.Sum {
				return endPair{}, false
			}
			second, _ := binary.ReadVarint(r)
			pair.end += eventID(number >> 1)
			pair.half, pair.first = number&1 == 1, pair.end+eventID(second)
			limit := eventID(b.events.Len())
			if failed != nil || pair.end < 0 || pair.end >= limit || pair.first < 0 || pair.first >= limit {
				err = fmt.Errorf("%s: %w", g.file.Name, errChangedMatch)
				return endPair{}, false
			}
			return pair, true
		})
	}
	b.joinPairs(streams)
	return err
}
