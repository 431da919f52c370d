package formats_test

import (
	"bytes"
	"strings"
	"testing"

	"etrace/fixtures/growth"
	"etrace/fixtures/size"
)

// TestLargeImportsTakeBoundedMemory: so does an import of 16 MB, where no buffer counts any more. Usually it reads the
// greediest text of each format.
func TestLargeImportsTakeBoundedMemory(t *testing.T) {
	size.SkipQuick(t)
	const bytes = 16 << 20
	for _, s := range sections(t) {
		t.Run(s.name, func(t *testing.T) {
			growth.Peak(t, 64<<20+20*bytes, func(part func(string)) {
				for _, text := range s.texts[:size.Pick(1, 1, len(s.texts))] {
					_ = s.read(hostileText(text, bytes))
					part(text)
				}
			})
		})
	}
}

// TestImportsTakeBoundedMemory: an import of 1 MB takes at most 72 MB and twenty times its text, whatever that is.
func TestImportsTakeBoundedMemory(t *testing.T) {
	size.SkipQuick(t)
	const bytes = 1 << 20
	for _, s := range sections(t) {
		t.Run(s.name, func(t *testing.T) {
			growth.Peak(t, 72<<20+20*bytes, func(part func(string)) {
				for _, text := range s.texts {
					_ = s.read(hostileText(text, bytes))
					part(text)
				}
			})
		})
	}
}

// TestBombsTakeBoundedMemory: a file that unpacks to a thousand times its size takes at most 512 MB, whatever format
// is named.
func TestBombsTakeBoundedMemory(t *testing.T) {
	size.SkipQuick(t)
	bomb := pack(t, strings.Repeat(strings.Repeat("1,", 32<<10)+"\n", 1500))
	growth.Peak(t, 512<<20, func(part func(string)) {
		for _, s := range sections(t) {
			err := s.read(bytes.NewReader(bomb))
			if err == nil {
				t.Fatalf("%s read a bomb", s.name)
			}
			part(s.name + ": " + err.Error())
		}
	})
}
