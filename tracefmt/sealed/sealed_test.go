package sealed

import (
	"bytes"
	"encoding/json"
	"testing"
)

type part struct {
	Name  string          `json:"name"`
	Count int             `json:"count,omitempty"`
	Raw   json.RawMessage `json:"raw,omitempty"`
}

type document struct {
	Sum   string `json:"sum"`
	Parts []part `json:"parts"`
}

// sum is the sum of the rest.
func (d document) sum() string {
	d.Sum = ""
	sum, _ := Sum(d) // texts and numbers
	return sum
}

func written(t *testing.T) []byte {
	d := document{Parts: []part{{Name: "<a> \xff", Count: -3}, {Name: "b", Raw: json.RawMessage(`{"x":1}`)}}}
	d.Sum = d.sum()
	b, err := Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestUnmarshal: a document is read as it was written, and after it was indented.
func TestUnmarshal(t *testing.T) {
	b := written(t)
	var indented bytes.Buffer
	if err := json.Indent(&indented, b, "", "  "); err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{b, indented.Bytes()} {
		var d document
		if err := Unmarshal(text, &d); err != nil || d.Parts[0].Count != -3 ||
			string(bytes.Join(bytes.Fields(d.Parts[1].Raw), nil)) != `{"x":1}` {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
	}
}

// TestRefused: documents that a lenient decoder accepts are rejected with a place, and without words of Go.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"sum":"","parts":[{"name":"a","color":1}]}`:   `after byte 30: "color", expected }`,
		`{"sum":"","sum":"","parts":[]}`:                `after byte 9: "sum", expected "parts"`,
		`{"sum":"","parts":[{"name":"a","name":"a"}]}`:  `after byte 30: "name", expected }`,
		`{"Sum":"","parts":[]}`:                         `after byte 1: "Sum", expected "sum"`,
		`{"parts":[],"sum":""}`:                         `after byte 1: "parts", expected "sum"`,
		`{"sum":""}`:                                    `after byte 9: }, expected "parts"`,
		`{"sum":"","parts":[{"name":"a","count":0}]}`:   `after byte 30: "count", expected }`,
		`{"sum":"","parts":[{"name":"a","count":1.0}]}`: `byte 42: key "count": number 1.0, expected a number of 64 bits`,
		`{"sum":"","parts":[{"name":"a","count":"x"}]}`: `byte 42: key "count": a text, expected a number of 64 bits`,
		`{"sum":"","parts":{}}`:                         `byte 19: key "parts": an object, expected a list`,
		`{"sum":"","parts":[]} {}`:                      `byte 23: not JSON, or not whole`,
		`{"sum":"","par`:                                `byte 14: not JSON, or not whole`,
		`7`:                                             `byte 1: number, expected an object`,
	} {
		if err := Unmarshal([]byte(text), new(document)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestFlips: a document with one flipped bit is rejected, or has the same meaning.
func TestFlips(t *testing.T) {
	b := written(t)
	var before document
	if err := Unmarshal(b, &before); err != nil || before.Sum != before.sum() {
		t.Fatalf("%+v, %v", before, err)
	}
	for bit := range 8 * len(b) {
		changed := bytes.Clone(b)
		changed[bit/8] ^= 1 << (bit % 8)
		var d document
		if err := Unmarshal(changed, &d); err == nil && d.Sum == d.sum() && d.sum() != before.sum() {
			t.Errorf("byte %d is %q, and the document %+v", bit/8, changed[bit/8], d)
		}
	}
}

// TestUnescaped: an escaped backslash begins no escape, and the last byte may be one.
func TestUnescaped(t *testing.T) {
	for written, want := range map[string]string{
		`a`: "a", `\ufffd`: "\uFFFD", `x\ufffdy\ufffd`: "x\uFFFDy\uFFFD", `\\ufffd`: `\\ufffd`,
		`\\\ufffd`: "\\\\\uFFFD", `\ufffd\`: "\uFFFD\\", `\ufffd\n`: "\uFFFD\\n",
		`\ufffdab`: "\uFFFDab",
	} {
		if got := string(unescaped([]byte(written))); got != want {
			t.Errorf("%s: %s, want %s", written, got, want)
		}
	}
}
