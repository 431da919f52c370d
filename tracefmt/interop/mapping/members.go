package mapping

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Programs write once who their peers are: peers: [1,2,3], servers="[{ID:n1 ...} {ID:n2 ...}]",
// initial-cluster=n1=http://...,n2=http://... A process that is listed beside processes with lines is a
// member, even if it has no lines.

// listWords are words before a list of members, without their first letter, which may be upper case.
var listWords = []string{"eers", "embers", "oters", "ervers", "luster", "odes", "eplicas"}

// maxList is the greatest length of a list in bytes.
const maxList = 1 << 12

// memberLists returns the lists of members in a line.
func memberLists(line string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		if !strings.ContainsAny(line, ",[(") {
			return
		}
		for at := range len(line) {
			if c := line[at]; c != ':' && c != '=' {
				continue
			}
			if !introduces(strings.TrimRight(line[:at], quotes), line[at:]) {
				continue
			}
			if names := listed(line[at:]); len(names) > 1 && !yield(names) {
				return
			}
		}
	}
}

// introduces reports whether the text before a colon or equals sign introduces the list after it: by a word for members, or by
// a number if the names have addresses.
func introduces(before, after string) bool {
	if before == "" {
		return false
	}
	switch last := before[len(before)-1]; {
	case last == 's', last == 'r': // the words end so
		return slices.ContainsFunc(listWords, func(word string) bool { return strings.HasSuffix(before, word) })
	case '0' <= last && last <= '9':
		return strings.HasPrefix(after, ": [") && addressed().MatchString(after)
	}
	return false
}

// quotes are signs that may be between the word and the colon or equals sign.
const quotes = `"'\`

// listed returns the names in a list after a colon or equals sign.
func listed(after string) (names []string) {
	after = strings.TrimLeft(after[1:min(len(after), maxList)], ` "'\`)
	after = strings.TrimPrefix(after, "map")
	list := after
	if after != "" && strings.IndexByte("[({", after[0]) >= 0 {
		list = bracketed(after)
		if list == "" {
			return nil
		}
	} else if end := strings.IndexAny(after, " \"'"); end >= 0 {
		list = after[:end]
	}
	for _, element := range elements(list) {
		if name := memberIn(element); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// bracketed returns the text in the brackets at the beginning, or "".
func bracketed(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			if depth--; depth == 0 {
				return s[1:i]
			}
		}
	}
	return ""
}

// elements splits a list at commas. If it has no commas outside brackets, it splits the list at blanks.
func elements(list string) (items []string) {
	depth, begin, outer := 0, 0, false
	for _, separators := range [...]string{",;", " "} {
		for i := range len(list) {
			switch {
			case strings.IndexByte("[{(", list[i]) >= 0:
				depth++
			case strings.IndexByte("]})", list[i]) >= 0:
				depth--
			case depth == 0 && strings.IndexByte(separators, list[i]) >= 0:
				items, begin, outer = append(items, list[begin:i]), i+1, true
			}
		}
		items = append(items, list[begin:])
		if outer {
			return items
		}
		items, depth, begin = nil, 0, 0
	}
	return []string{list}
}

var (
	// memberID matches a field that names a member. leadingName matches a name before an address or state.
	memberID    = text.Pattern(`(?i)\b(?:id|name|serverid|node)["'\\]*[:=]\s*["'\\]*([\w.@-]*\w(?::\d+)?)`)
	leadingName = text.Pattern(`^([\w.@-]*\w)(?:=(?:https?:|[\d.]+:)|:[{(]|\||:[\w.-]+:\d+$)`)
	bareName    = text.Pattern(`^([\w.@-]*\w(?::\d+)?)$`)
)

// addressed matches a list of names with addresses after a number, as Ratis writes the peers of an election.
var addressed = text.Pattern(`^: \[[\w.@-]*\w(?:\||:[\w.-]+:\d+,)`)

// memberIn returns the name of a member in an element of a list, or "".
func memberIn(element string) string {
	element = strings.Trim(element, ` "'\`)
	for _, pattern := range [...]func() *regexp.Regexp{leadingName, memberID, bareName} {
		if at := pattern().FindStringSubmatch(element); at != nil {
			return at[1]
		}
	}
	return ""
}
