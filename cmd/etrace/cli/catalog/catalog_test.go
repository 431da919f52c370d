package catalog

import (
	"strings"
	"testing"
)

// fruit has things with the name of their kind, and with its first word.
var fruit = Catalog{
	{"apples", "apple", func() []entry {
		return []entry{entryOf("elstar", "sweet", "Sweet.\n"), entryOf("red-star", "red", "Red.\n")}
	}},
	{"pears", "pear", func() []entry { return []entry{entryOf("elstar", "no apple", "Not an apple.\n")} }},
}

func TestExplain(t *testing.T) {
	for name, want := range map[string]string{
		"elstar":         "elstar (apple)\n\nSweet.\n\nelstar (pear)\n\nNot an apple.\n",
		"red":            "Nothing is called red. These names contain its words:\n\nred-star (apple)\n\nRed.\n",
		"Star red":       "Nothing is called Star red. These names contain its words:\n\nred-star (apple)\n\nRed.\n",
		"Red-star apple": "red-star (apple)\n\nRed.\n",
		"Pear":           "pears:\nelstar  no apple\n",
		"pears":          "pears:\nelstar  no apple\n",
	} {
		var b strings.Builder
		if err := fruit.Explain(&b, name); err != nil || b.String() != want {
			t.Errorf("%s: %v\ngot  %q\nwant %q", name, err, b.String(), want)
		}
	}
	var b strings.Builder
	const want = `unknown name "plum"; etrace list KIND shows the names of apples and pears`
	if err := fruit.Explain(&b, "plum"); err == nil || err.Error() != want {
		t.Errorf("got %v, want the kinds", err)
	}
	if err := fruit.Explain(&b, "elstra"); err == nil || !strings.Contains(err.Error(), `did you mean "elstar"?`) || b.Len() > 0 {
		t.Errorf("got %v and %q, want a suggestion and nothing written", err, b.String())
	}
}

func TestLookup(t *testing.T) {
	k, err := fruit.Lookup("apples")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := k.WriteText(&b); err != nil || b.String() != "elstar    sweet\nred-star  red\n" {
		t.Errorf("%v, %q", err, b.String())
	}
	if _, err := fruit.Lookup("aples"); err == nil || !strings.Contains(err.Error(), `unknown kind of list "aples", did you mean "apples"?`) {
		t.Errorf("got %v, want a suggestion", err)
	}
}
