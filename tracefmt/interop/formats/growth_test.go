package formats_test

import (
	"testing"

	"etrace/fixtures/growth"
	"etrace/fixtures/size"
)

// TestHostileTexts: no importer does work for each part of a text that grows with the parts before it. The work is
// counted in allocated bytes, and in make long by TestStatements of fixtures/growth in statements.
func TestHostileTexts(t *testing.T) {
	bytes := size.Pick(16<<10, 16<<10, 256<<10)
	for _, s := range sections(t) {
		t.Run(s.name, func(t *testing.T) {
			for _, text := range s.texts[:size.Pick(1, len(s.texts), len(s.texts))] {
				if !growth.Linear(t, bytes, func(bytes int) func() {
					return func() { _ = s.read(hostileText(text, bytes)) }
				}) {
					t.Errorf("in bytes of %s", text)
				}
			}
		})
	}
}
