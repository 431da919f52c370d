package tracefmt_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

func number(t testing.TB, raw string) tracefmt.Number {
	t.Helper()
	n, ok := tracefmt.ParseNumber([]byte(raw))
	if !ok {
		t.Fatalf("%s is no number", raw)
	}
	return n
}

func TestNumbersHaveOneForm(t *testing.T) {
	for _, test := range []struct {
		want  string
		forms []string
	}{
		{"9", []string{`9`, `"9"`, `9.0`, `0.9e1`, `90e-1`, `9E+0`, `9e00000000000`}},
		{"-3", []string{`-3`, `"-3"`, `-3.00`}},
		{"0", []string{`0`, `"0"`, `-0`, `0.0`, `-0e7`, `0e999999999`}},
		{"9223372036854775807", []string{`9223372036854775807`, `"9223372036854775807"`}},
		{"9223372036854775808", []string{`9223372036854775808`, `"9223372036854775808"`, `9223372036854775808.0`}},
		{"-9223372036854775808", []string{`-9223372036854775808`, `"-9223372036854775808"`}},
		{"18446744073709551616", []string{`18446744073709551616`, `1844674407370955161.6e1`}},
		{"1000000000000000000000", []string{`1e21`, `1000000000000000000000`, `"1000000000000000000000"`}},
		{"0.05", []string{`0.05`, `5e-2`, `0.050`}},
		{"12.5", []string{`12.5`, `125e-1`}},
		{"1.5e400", []string{`1.5e400`, `15e399`}},
		{"1e-99", []string{`1e-99`, `0.1e-98`}},
	} {
		for _, raw := range test.forms {
			n := number(t, raw)
			if n.String() != test.want || n != number(t, test.want) || string(tracefmt.Canonical([]byte(raw))) != test.want {
				t.Errorf("%s is %v, with the key %s, expected %s", raw, n, tracefmt.Canonical([]byte(raw)), test.want)
			}
		}
	}
}

func TestWhatIsNoNumber(t *testing.T) {
	for _, raw := range []string{
		``, `"`, `""`, `"-"`, `"007"`, `"-0"`, `"1e3"`, `" 9"`, `"9 "`, `"+9"`, `"1.5"`, `"9a"`, `"\u0039"`,
		`null`, `true`, `[9]`, `{"n":9}`, `-`, `1.`, `01`, `1e9999999999`, `NaN`,
	} {
		if n, ok := tracefmt.ParseNumber([]byte(raw)); ok {
			t.Errorf("%s is the number %v, expected none", raw, n)
		}
		if key := tracefmt.Canonical([]byte(raw)); string(key) != raw {
			t.Errorf("%s has the key %s, expected itself", raw, key)
		}
	}
}

// Numbers are ordered as fractions of any size are.
func TestNumbersCompareExactly(t *testing.T) {
	numeral := rapid.Custom(func(t *rapid.T) string {
		return rapid.OneOf(
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,3}|[1-9][0-9]{16,21})`),
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,3})\.[0-9]{1,20}`),
			rapid.StringMatching(`-?[1-9](\.[0-9]{1,3})?[eE][+-]?[0-9]{1,2}`),
			rapid.SampledFrom(
				[]string{
					"9223372036854775807", "9223372036854775808", "-9223372036854775808",
					"-9223372036854775809", "9007199254740993", "9007199254740992.5",
				},
			),
		).Draw(t, "numeral")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := numeral.Draw(t, "a"), numeral.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		m, _ := tracefmt.ParseNumber([]byte(a))
		n, _ := tracefmt.ParseNumber([]byte(b))
		if got, want := m.Compare(n), x.Cmp(y); got != want || (m == n) != (want == 0) || (m.String() == n.String()) != (want == 0) {
			t.Fatalf("%s and %s compare as %d, expected %d; %v, %v", a, b, got, want, m, n)
		}
		small, fits := m.Int64()
		if fits != (x.IsInt() && x.Num().IsInt64()) || fits && small != x.Num().Int64() || m.Whole() != x.IsInt() {
			t.Fatalf("%s is %d (%t), whole %t", a, small, fits, m.Whole())
		}
		if z, ok := new(big.Rat).SetString(m.String()); !ok || z.Cmp(x) != 0 || !json.Valid([]byte(m.String())) {
			t.Fatalf("%s is written as %s", a, m)
		}
	})
}

func TestCanonicalOfPlainValuesAllocatesNothing(t *testing.T) {
	values := [][]byte{[]byte(`12`), []byte(`"12"`), []byte(`"leader"`), []byte(`null`), []byte(`{"a":1}`)}
	if n := testing.AllocsPerRun(100, func() {
		for _, v := range values {
			_ = tracefmt.Canonical(v)
			_, _ = tracefmt.ParseNumber(v)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
