package format

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"

	"etrace/render/drawing"
)

// drawText draws a single text as an SVG document or element, and returns the texts and tips found in
// it by an XML parser.
func drawText(t *testing.T, text string, element bool) (texts, tips []string) {
	t.Helper()
	d := &drawing.Drawing{Diagram: "sequence", Title: text, Desc: text, Width: 400, Height: 100, Layers: []drawing.Layer{{
		Nodes: []drawing.Node{{ID: "p1", Style: process, X: 200, Y: 50, W: 300, H: 40, Text: text, Tip: text}},
	}}}
	var out bytes.Buffer
	err := SVG(context.Background(), &out, d)
	if element {
		var made []byte
		made, err = Element(context.Background(), d, "")
		out = *bytes.NewBuffer(made)
	}
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	dec := xml.NewDecoder(&out)
	var open []string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return texts, tips
		}
		if err != nil {
			t.Fatalf("%q: not well-formed: %v", text, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
			for _, a := range token.Attr {
				if a.Name.Local == "href" {
					t.Fatalf("%q: a link to %q", text, a.Value)
				}
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			switch path := strings.Join(open, " "); {
			case strings.HasSuffix(path, " g text"):
				texts = append(texts, string(token))
			case strings.HasSuffix(path, " g title"):
				tips = append(tips, string(token))
			}
		}
	}
}

// legible is what remains of a text in a drawing: Graphviz writes some spaces
// as no-break spaces, and what XML forbids is gone.
func legible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u00a0':
			return ' '
		case r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func checkText(t *testing.T, text string) {
	t.Helper()
	for _, element := range [...]bool{false, true} {
		texts, tips := drawText(t, text, element)
		want := legible(text)
		if strings.TrimSpace(want) == "" {
			return
		}
		if len(texts) != 1 || len(tips) != 1 {
			t.Fatalf("%q: %d texts and %d tips, want one each: %q", text, len(texts), len(tips), texts)
		}
		if got := legible(texts[0]); collapse(got) != collapse(want) {
			t.Errorf("the text %q is drawn as %q", want, got)
		}
	}
}

// collapse makes runs of replacement characters one: decoders differ in how
// many they put for one broken sequence.
func collapse(s string) string {
	for strings.Contains(s, "\uFFFD\uFFFD") {
		s = strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD")
	}
	return s
}

var nasty = []string{
	`plain`, `\N`, `\G \E \T \H \L`, `a\lb\rc\n`, `\`, `\\`, `\"`, `"`, `"];evil [URL="javascript:alert(1)"`, `&`,
	`&amp;`, `&amp;lt;`, `&lt;b&gt;`, `&#60;`,
	`&#x3c;script&#x3e;`, `<script>alert(1)</script>`, `<B>bold</B>`, `<<TABLE></TABLE>>`, `</title></svg>`, `]]>`,
	`<!-- -->`, `-->`, "\n</text>\n<g id=\"x\">",
	"\r\n", "\x00\x01\x1b[31m", "\u202eevil\u202c", "\ufffe\uffff", "\xff\xfe", "é 東京 🙂", "  two  spaces  ", "\u2028",
	`%s %d`, `${HOME}`, strings.Repeat("x", 500),
}

func TestTextsAreTakenLiterally(t *testing.T) {
	for _, text := range nasty {
		checkText(t, text)
	}
}

func FuzzText(f *testing.F) {
	for _, text := range nasty {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		// Spaces of other kinds and directions are package story's business.
		if strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) && r > 0x7f }) {
			return
		}
		checkText(t, text)
	})
}
