package text_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"etrace/tracefmt/text"
)

func TestPrintable(t *testing.T) {
	for input, want := range map[string]string{
		"plain é 漢 😀":   "plain é 漢 😀",
		"\x1b[31mred":   `\u001b[31mred`,
		"a\nb\tc\r\x7f": `a\u000ab\u0009c\u000d\u007f`,
		"\u202ekcab":    `\u202ekcab`,
		"\u2028\u0085":  `\u2028\u0085`,
		"\xff":          `\ufffd`,
		"\U000e0041":    `\U000e0041`,
		"\uffff":        `\uffff`,
	} {
		if got := text.Printable(input); got != want {
			t.Errorf("%q: got %s, want %s", input, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		for _, r := range text.Printable(s) {
			if !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
				t.Fatalf("%q keeps %U", s, r)
			}
		}
	})
}

func TestMisspelt(t *testing.T) {
	known := []string{"role", "term", "log", "elected", "votedFor"}
	for name, want := range map[string]string{
		"rolle": "role", "roel": "role", "Role": "role", "ROL": "role", "voted_for": "votedFor",
		"votdeFro": "votedFor", "electd": "elected", "eleced": "elected", "elcted_": "elected", "electeed": "elected",
		"role": "", "rulle": "", "state": "", "leader": "", "time": "", "": "", "election": "", "zxid": "",
		strings.Repeat("role", 1000): "",
	} {
		if got := text.Misspelt(name, known); got != want {
			t.Errorf("%.20s: got %q, want %q", name, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	known := []string{"agreement", "fifo"}
	for name, want := range map[string]string{
		"agrement":        `unknown property "agrement", did you mean "agreement"? (known: agreement, fifo)`,
		"FIFO":            `unknown property "FIFO", did you mean "fifo"? (known: agreement, fifo)`,
		"xyz":             `unknown property "xyz" (known: agreement, fifo)`,
		"":                `unknown property "" (known: agreement, fifo)`,
		"all":             `unknown property "all", expected the name of one (known: agreement, fifo)`,
		"fifo, agreement": `unknown property "fifo, agreement", expected the name of one (known: agreement, fifo)`,
		"fifo,x":          `unknown property "fifo,x", did you mean "fifo"? (known: agreement, fifo)`,
	} {
		if got := text.Unknown("property", name, known).Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got, want := text.Unknown("field", "x", nil).Error(), `unknown field "x", and no name is known`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	commits := []string{"raft", "three-phase-commit", "two-phase-commit"}
	if got, want := text.Unknown("algorithm", "2PC", commits).Error(), `did you mean "two-phase-commit"?`; !strings.Contains(got, want) {
		t.Errorf("2PC: got %s, want %s", got, want)
	}
	if got := text.Nearest("leadto", []string{"leads", "leads-to"}); got != "leads-to" {
		t.Errorf("leadto: got %q, want the one that has the same words", got)
	}
	if got := text.Nearest("total-order", []string{"itai-rodeh", "total-order-broadcast"}); got != "total-order-broadcast" {
		t.Errorf("got %s, want the name that goes on after the word", got)
	}
	if got := text.Nearest("cvs", []string{"csv", "tla"}); got != "csv" {
		t.Errorf("cvs: got %q, want csv, in which two letters have changed places", got)
	}
	if got := text.Nearest("fifoorder", []string{"lifo", "fifo"}); got != "fifo" {
		t.Errorf("fifoorder: got %q, want fifo, with which it begins", got)
	}
	many := strings.Split(strings.Repeat("x,", 30)+"fifo", ",")
	if got, want := text.Unknown("property", "fif", many).Error(), `unknown property "fif", did you mean "fifo"?`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestShort(t *testing.T) {
	for _, c := range []struct {
		input, want string
		limit       int
	}{
		{"abc", "abc", 3},
		{"abcd", "ab…", 3},
		{"aéi", "aéi", 3},
		{"aéio", "aé…", 3},
		{"", "", 0},
		{"é", "é", 1},
		{"éé", "…", 1},
		{"ab", "…", 0},
		{"\xff\xff\xff", "\xff…", 2},
	} {
		if got := text.Short(c.input, c.limit); got != c.want {
			t.Errorf("Short(%q, %d) = %q, want %q", c.input, c.limit, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(1, 20).Draw(t, "most")
		want := []rune(s)
		if len(want) > limit {
			want = append(want[:limit-1:limit-1], '…')
		}
		if got := text.Short(s, limit); got != string(want) {
			t.Fatalf("Short(%q, %d) = %q, want %q", s, limit, got, string(want))
		}
	})
}

// TestInFile: the name of a file is in an error once.
func TestInFile(t *testing.T) {
	bare := errors.New("input/output error")
	named := text.InFile("a.db", bare)
	if named.Error() != "a.db: input/output error" || !errors.Is(named, bare) || text.InFile("a.db", named) != named {
		t.Errorf("got %v and %v", named, text.InFile("a.db", named))
	}
}
