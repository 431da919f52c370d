package property_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"etrace/analyze"
	"etrace/fixtures/mask"
	"etrace/tracefmt"
)

// recorded returns the recordings of testdata/partial/THEME.jsonl: some recordings that few draws would find; each
// was judged wrongly once. Their names describe the missing facts.
func (th *theme) recorded(t *testing.T) (list []*partialCase) {
	t.Helper()
	text, err := os.ReadFile("testdata/partial/" + th.name + ".jsonl")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range decode(t, text) {
		if err := tracefmt.Validate(rec); err != nil || len(rec.Run().Members) != th.n {
			t.Fatalf("%s: %v, or it has not %d members", rec.Run().Name, err, th.n)
		}
		c := &partialCase{theme: th, mask: mask.Mask{Name: rec.Run().Name, Sort: "told"}, original: rec, masked: rec}
		c.check(t)
		list = append(list, c)
	}
	return list
}

// check has the recording checked.
func (c *partialCase) check(t *testing.T) {
	t.Helper()
	var err error
	c.report, err = analyze.Check(c.masked, c.theme.examined(), analyze.Options{Named: true})
	if err != nil {
		t.Fatal(err)
	}
	c.opinions = make([]opinion, len(c.report.Results))
}
