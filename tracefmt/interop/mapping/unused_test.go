package mapping

import (
	"os"
	"strings"
	"testing"
)

// TestVocabulary: the words that may be meant are those of docs/vocabulary.md.
func TestVocabulary(t *testing.T) {
	page, err := os.ReadFile("../../../docs/vocabulary.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range vocabulary {
		if !strings.Contains(string(page), "`"+word+"`") && !strings.Contains(string(page), "`"+word+"[1]`") {
			t.Errorf("docs/vocabulary.md does not have %s", word)
		}
	}
}
