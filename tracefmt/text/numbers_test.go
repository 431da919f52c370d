package text_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/tracefmt/text"
)

// TestNumbers: one syntax wherever numbers are listed.
func TestNumbers(t *testing.T) {
	for given, want := range map[string]string{
		"4": "[4]", "1,2, 5": "[1 2 5]", "0-3": "[0 1 2 3]", "3..5": "[3 4 5]", "2..8..2": "[2 4 6 8]", "2..7..2": "[2 4 6]", "2-8-3": "[2 5 8]",
		"3-0": "[3 2 1 0]", "8..3..2": "[8 6 4]", "1..2,7": "[1 2 7]",
		"9223372036854775807-9223372036854775806": "[9223372036854775807 9223372036854775806]",
		"": "expected numbers", "1,": "expected numbers", "a": "expected numbers", "-1": "expected numbers",
		"+1": "expected numbers", "1..": "expected numbers",
		"1..9..0": "expected numbers", "1..2..3..4": "expected numbers", "0.5": "expected numbers",
		"0-9,1-2": "at most 10 numbers", "1-11": "at most 10 numbers",
		"0-9223372036854775807": "at most 10 numbers", "9223372036854775808": "expected numbers",
	} {
		got, err := text.ParseNumbers(given, 10)
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", given, got, err, want)
		}
	}
}
