package record

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// StampHeader is the header of HTTP under which a stamp travels, as [Stamp.String] writes it.
const StampHeader = "Etrace-Stamp"

// Stamp identifies the send of a message for its receiver. It travels with the message: as a value within a
// program, or as text between programs ([Stamp.AppendText], [ParseStamp]). The zero value identifies no message.
type Stamp struct {
	// From and To are the processes, Type is the type of the message.
	From, To, Type string
	number         int64        // the number of the message in the recording of its sender
	seq            tracefmt.Seq // the seq of its send there
	lamport, term  int64
	// void is true if the incarnation of the sender had ended, so that the message does not exist.
	void bool
}

// AppendText appends the stamp as printable ASCII without blanks. It implements [encoding.TextAppender].
func (s Stamp) AppendText(buf []byte) ([]byte, error) {
	for _, n := range [...]int64{s.number, int64(s.seq), s.lamport, s.term} {
		buf = append(strconv.AppendInt(buf, n, 10), '.')
	}
	for i, word := range [...]string{s.From, s.To, s.Type} {
		if i > 0 {
			buf = append(buf, '.')
		}
		buf = append(buf, strings.ReplaceAll(url.QueryEscape(word), ".", "%2E")...)
	}
	return buf, nil
}

// String returns the stamp as text.
func (s Stamp) String() string {
	text, _ := s.AppendText(nil)
	return string(text)
}

// ParseStamp reads what [Stamp.AppendText] wrote.
func ParseStamp(stamp []byte) (Stamp, error) {
	parts := strings.Split(string(stamp), ".")
	bad := func() (Stamp, error) {
		return Stamp{}, fmt.Errorf(
			"record: no stamp: %q, expected one such as %s", text.Short(string(stamp), 60),
			Stamp{From: "n1", To: "n2", Type: "VOTE", number: 17, seq: 42, lamport: 9},
		)
	}
	if len(parts) != 7 {
		return bad()
	}
	var numbers [4]int64
	var words [3]string
	var err error
	for i := range numbers {
		numbers[i], err = strconv.ParseInt(parts[i], 10, 64)
		if err != nil || numbers[i] < 0 || numbers[i] > 1<<60 {
			return bad()
		}
	}
	for i := range words {
		words[i], err = url.QueryUnescape(parts[4+i])
		if err != nil {
			return bad()
		}
	}
	if words[0] == "" || words[1] == "" {
		return bad()
	}
	return Stamp{
		From: words[0], To: words[1], Type: words[2], number: numbers[0], seq: tracefmt.Seq(numbers[1]),
		lamport: numbers[2], term: numbers[3],
	}, nil
}
