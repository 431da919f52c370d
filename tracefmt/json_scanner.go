package tracefmt

// maxNesting is the maximum depth of JSON, as in encoding/json.
const maxNesting = 10000

// scanner scans JSON text in one pass. It accepts exactly the texts that encoding/json.Valid accepts, at a
// fraction of the cost.
type scanner struct {
	b []byte
	// spaced is true if a value contained insignificant white space.
	spaced bool
}

// IsObject reports whether b is one JSON object.
func IsObject(b []byte) bool {
	valid, _ := validObject(b)
	return valid
}

// validObject reports whether b is one JSON object, and whether it contains or is surrounded by white space.
func validObject(b []byte) (valid, spaced bool) {
	s := scanner{b: b}
	i := s.space(0)
	if i >= len(b) || b[i] != '{' {
		return false, false
	}
	i = s.value(i, 0)
	if i < 0 || s.space(i) != len(b) {
		return false, false
	}
	return true, s.spaced
}

// space returns the index of the next byte from i that is not white space.
func (s *scanner) space(i int) int {
	if i < len(s.b) && s.b[i] > ' ' {
		return i
	}
	end := skipSpace(s.b, i)
	s.spaced = s.spaced || end > i
	return end
}

// value returns the index after the value that begins at i, or -1.
func (s *scanner) value(i, depth int) int {
	if i >= len(s.b) {
		return -1
	}
	switch c := s.b[i]; c {
	case '"':
		return s.text(i)
	case '{', '[':
		if depth == maxNesting {
			return -1
		}
		return s.group(i, depth+1)
	case 't':
		return s.word(i, "true")
	case 'f':
		return s.word(i, "false")
	case 'n':
		return s.word(i, "null")
	}
	return s.number(i)
}

// group returns the index after the object or array that begins at i, or -1.
func (s *scanner) group(i, depth int) int {
	object := s.b[i] == '{'
	closing := s.b[i] + 2 // in ASCII, ']' and '}' come two after their openings
	i = s.space(i + 1)
	if i < len(s.b) && s.b[i] == closing {
		return i + 1
	}
	for {
		if object {
			i = s.key(i)
			if i < 0 {
				return -1
			}
		}
		i = s.value(i, depth)
		if i < 0 {
			return -1
		}
		i = s.space(i)
		if i >= len(s.b) {
			return -1
		}
		switch s.b[i] {
		case ',':
			i = s.space(i + 1)
		case closing:
			return i + 1
		default:
			return -1
		}
	}
}

// key returns the index of the value after the key that begins at i, or -1.
func (s *scanner) key(i int) int {
	i = s.text(i)
	if i < 0 {
		return -1
	}
	i = s.space(i)
	if i >= len(s.b) || s.b[i] != ':' {
		return -1
	}
	return s.space(i + 1)
}

// text returns the index after the string that begins at i, or -1.
func (s *scanner) text(i int) int {
	b := s.b
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			i = s.escape(i + 1)
			if i < 0 {
				return -1
			}
		}
	}
	return -1
}

// escape returns the index of the last byte of the escape whose letter is at
// i, or -1.
func (s *scanner) escape(i int) int {
	if i >= len(s.b) {
		return -1
	}
	// The escapes are those of RFC 8259, section 7.
	switch s.b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i
	case 'u':
		if i+4 >= len(s.b) {
			return -1
		}
		for _, c := range s.b[i+1 : i+5] {
			if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
				return -1
			}
		}
		return i + 4
	}
	return -1
}

// word returns the index after the word true, false or null that begins at i, or -1.
func (s *scanner) word(i int, word string) int {
	if end := i + len(word); end <= len(s.b) && string(s.b[i:end]) == word {
		return end
	}
	return -1
}

// number returns the index after the number that begins at i, or -1.
func (s *scanner) number(i int) int {
	b := s.b
	// The grammar is that of RFC 8259, section 6: no leading zeros, and digits on both sides of the point.
	if b[i] == '-' {
		i++
	}
	start := i
	i = digits(b, i)
	if i == start || b[start] == '0' && i > start+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		start = i + 1
		i = digits(b, start)
		if i == start {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start = i
		i = digits(b, start)
		if i == start {
			return -1
		}
	}
	return i
}

// digits returns the index of the first byte from i that is no digit.
func digits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}
