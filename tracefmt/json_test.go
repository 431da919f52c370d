package tracefmt

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFields(t *testing.T) {
	for _, tt := range []struct{ object, want string }{
		{`{}`, ``},
		{`{"a":1,"b":"x,}","c":[1,{"d":2}],"e":{"f":"]"}}`, `a=1 b="x,}" c=[1,{"d":2}] e={"f":"]"}`},
		{" {\t\"a\" :\n1 , \"b\" : null }", `a=1 b=null`},
		{`{"\u0061\"":true,"":-1.5e3}`, `a"=true =-1.5e3`},
		{`{"a":1,"a":2}`, `a=1 a=2`},
		{`[1]`, ``},
		{`["a":1]`, ``},
		{`{"a":1`, ``}, // the value may be longer
		{`{"a":`, ``},
		{`{"a":,"b":1}`, ``},
		{`{"a"`, ``},
		{`{"a\`, ``},
		{`{"a":"x`, ``},
		{`{"a":[[1]`, ``},
		{`{"a":1;"b":2}`, `a=1;"b"`},
		{``, ``},
	} {
		var got []string
		for key, value := range Fields([]byte(tt.object)) {
			got = append(got, string(key)+"="+string(value))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: got %s, want %s", tt.object, s, tt.want)
		}
	}
}

func TestFieldsAllocatesNothing(t *testing.T) {
	object := []byte(`{"elected":6,"role":"leader","list":[1,2,3]}`)
	if n := testing.AllocsPerRun(100, func() {
		for range Fields(object) {
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzFields: no bytes make Fields panic, and on valid objects it agrees with
// encoding/json.
func FuzzFields(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `{"\u00e4":"\"","b":[{"c":"}"}]}`, `{"a":1,}`, `{"a\`, `{"a":1 "b":2}`, `{"":""}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string]string{}
		for key, value := range Fields(b) {
			got[string(key)] = string(value)
		}
		var want map[string]json.RawMessage
		if !utf8.Valid(b) || json.Unmarshal(b, &want) != nil || want == nil {
			return
		}
		if len(got) != len(want) {
			t.Fatalf("%s: got %v, want %s", b, got, want)
		}
		for key, value := range want {
			if got[key] != string(value) {
				t.Fatalf("%s: %q is %s, want %s", b, key, got[key], value)
			}
		}
	})
}

// FuzzItems: the items of a list are those of encoding/json, and texts that it rejects are distinguished from
// lists with wrong brackets or commas.
func FuzzItems(f *testing.F) {
	for _, s := range []string{
		`[]`, ` [ ] `, `[1]`, `[1, 2 ,"a,]",[3,4],{"b":[5]}] `, `[1,]`, `[1, ]`, `[,1]`, `[1 2]`, `[1`,
		`[`, ``, `[1]]`, `[1]2`, `{}`, `["a]`, `[[1]`, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n := ItemCount(b)
		var got []string
		for item := range Items(b) {
			got = append(got, string(item))
		}
		if n >= 0 && n != len(got) {
			t.Fatalf("%q: %d items, counted %d", b, len(got), n)
		}
		var want []json.RawMessage
		if !utf8.Valid(b) || json.Unmarshal(b, &want) != nil || want == nil {
			valid := n >= 0 // if each item were one
			for _, item := range got {
				valid = valid && json.Valid([]byte(item))
			}
			if valid && utf8.Valid(b) {
				t.Fatalf("%q: %d items, expected no list", b, n)
			}
			return
		}
		if n != len(want) {
			t.Fatalf("%q: counted %d, want %d", b, n, len(want))
		}
		for i, item := range want {
			if got[i] != string(item) {
				t.Fatalf("%q: item %d is %s, want %s", b, i, got[i], item)
			}
		}
	})
}

// FuzzScanner: the scanner accepts what encoding/json accepts, and knows
// white space from content.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { } `, `{"a":[1,2.5e-3,-0,true,false,null,"\ud83d\n"]}`, `{"a":01}`, `{"a":1.}`, `{"a":"` + "\x1f" + `"}`, `{"a":[}`,
		`{"a":1]`, `{,}`, `[]`, `{"a":{"b":[[]]}} `, `{"a":"\u12g4"}`, `{"a":-}`, `{"a":1e}`, `{"a":1e+}`, `{"a" "b"}`, `{"a":tru}`, `{"a":"\`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		valid, spaced := validObject(b)
		if want := json.Valid(b) && bytes.TrimLeft(b, " \t\r\n")[0] == '{'; valid != want {
			t.Fatalf("%q: valid is %v, want %v", b, valid, want)
		}
		if !valid {
			return
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, b); err != nil {
			t.Fatal(err)
		}
		if want := compact.Len() != len(b); spaced != want {
			t.Fatalf("%q: spaced is %v, want %v", b, spaced, want)
		}
	})
}

// nearMisses yields texts and all that differ from them by one slip: cut off
// somewhere, a byte left out, another in its place, one too many.
func nearMisses(texts ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, text := range texts {
			for i := range len(text) + 1 {
				if !yield(text[:i]) {
					return
				}
				for _, c := range "\x00 \t\n\r\"\\/+-.,:019eEaAfFgGu[]{}tn\u007f" {
					if !yield(text[:i]+string(c)+text[i:]) || i < len(text) && !(yield(text[:i]+string(c)+text[i+1:]) && yield(text[:i]+text[i+1:])) {
						return
					}
				}
			}
		}
	}
}

// everyJSON holds every rule of JSON.
var everyJSON = []string{
	`{"a":[1,2.50e-3,-0,10E+2,true,false,null],"b":{}}`, `{"\u00AF\ud83d":"\"\\\/\b\f\n\r\t","c":""}`,
	"\r{ \"a\"\t:\n[ [ ] , { \"b\" : 0 } ] } ",
}

// TestScannerNearMisses: what differs by one byte from what is valid is accepted
// exactly where encoding/json accepts it; and where it does, Fields, which ends
// somewhere in all others, finds the same keys and values.
func TestScannerNearMisses(t *testing.T) {
	for text := range nearMisses(everyJSON...) {
		valid, spaced := validObject([]byte(text))
		if want := json.Valid([]byte(text)) && strings.TrimLeft(text, " \t\r\n")[0] == '{'; valid != want {
			t.Errorf("%q: valid is %t, want %t", text, valid, want)
		}
		got := map[string]string{}
		for key, value := range Fields([]byte(text)) {
			got[string(key)] = string(value)
		}
		var want map[string]json.RawMessage
		if !valid || json.Unmarshal([]byte(text), &want) != nil {
			continue
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil || spaced != (compact.Len() < len(text)) {
			t.Errorf("%q: spaced is %t", text, spaced)
		}
		for key, value := range want {
			if got[key] != string(value) {
				t.Errorf("%q: %q is %s, want %s", text, key, got[key], value)
			}
		}
	}
}

func TestScannerNesting(t *testing.T) {
	for _, depth := range []int{maxNesting, maxNesting + 1, 1 << 20} {
		b := []byte(strings.Repeat(`{"a":`, depth-1) + `{}` + strings.Repeat(`}`, depth-1))
		if valid, _ := validObject(b); valid != json.Valid(b) || valid != (depth <= maxNesting) {
			t.Errorf("nested %d deep: valid is %v", depth, valid)
		}
	}
}

// TestAppendString: a JSON decoder reads what was written; bytes that are not
// UTF-8 are read as U+FFFD, as encoding/json would have it.
func TestAppendString(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		quoted := AppendString([]byte("x"), s)[1:]
		var got string
		if err := json.Unmarshal(quoted, &got); err != nil {
			t.Fatalf("%s: %v", quoted, err)
		}
		want := string([]rune(s)) // each byte that is not UTF-8 becomes U+FFFD
		if got != want {
			t.Fatalf("%s is read as %q, want %q", quoted, got, want)
		}
		if i := bytes.IndexFunc(quoted, func(r rune) bool { return r < ' ' }); i >= 0 {
			t.Fatalf("%q holds a control character", quoted)
		}
	})
}
