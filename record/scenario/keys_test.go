package scenario

import (
	"slices"
	"testing"
)

// TestExamplesOfKeys: an example is a value of its key, in both forms.
func TestExamplesOfKeys(t *testing.T) {
	for i := range Keys {
		k := &Keys[i]
		flag, file := k.Forms()
		if k.Example == "" {
			continue
		}
		if flag == "" || k.More == "" {
			t.Errorf("%s: the example %s makes %q, more: %q", k.Name, k.Example, flag, k.More)
			continue
		}
		if s := mustParse(t, file); !slices.Equal(k.get(s), []string{k.Example}) {
			t.Errorf("%s says %q", file, k.get(s))
		}
	}
}
