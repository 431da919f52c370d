package drawing

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWidthsAreThoseOfTheFonts reads the widths from the fonts, as Debian's
// packages fonts-dejavu-core, fonts-liberation and fonts-freefont-ttf install them.
func TestWidthsAreThoseOfTheFonts(t *testing.T) {
	for _, c := range []struct {
		name   string
		widths []uint16
		files  []string
	}{
		{"plain", plainWidths[:], []string{"dejavu/DejaVuSans.ttf", "liberation/LiberationSans-Regular.ttf", "freefont/FreeSans.ttf"}},
		{"bold", boldWidths[:], []string{"dejavu/DejaVuSans-Bold.ttf", "liberation/LiberationSans-Bold.ttf", "freefont/FreeSansBold.ttf"}},
	} {
		want := make([]uint16, len(c.widths))
		for _, file := range c.files {
			data, err := os.ReadFile(filepath.Join("/usr/share/fonts/truetype", file))
			if err != nil {
				t.Skipf("a font is not installed: %v", err)
			}
			font := trueType{data}
			for i := range want {
				want[i] = max(want[i], font.width(rune(' '+i)))
			}
		}
		if got := fmt.Sprint(c.widths); got != fmt.Sprint(want) {
			t.Errorf("%s widths: got\n%s\nthe fonts have\n%v", c.name, got, want)
		}
	}
}

// trueType is a font file.
type trueType struct{ data []byte }

func (f trueType) u16(at int) int { return int(binary.BigEndian.Uint16(f.data[at:])) }
func (f trueType) u32(at int) int { return int(binary.BigEndian.Uint32(f.data[at:])) }

// table returns where the table of that name begins.
func (f trueType) table(name string) int {
	for i := range f.u16(4) {
		if entry := 12 + 16*i; string(f.data[entry:entry+4]) == name {
			return f.u32(entry + 8)
		}
	}
	panic("the font has no table " + name)
}

// width is how far the character advances, in thousandths of the font size,
// rounded up.
func (f trueType) width(r rune) uint16 {
	units, metrics := f.u16(f.table("head")+18), f.u16(f.table("hhea")+34)
	glyph := min(f.glyph(int(r)), metrics-1)
	return uint16((f.u16(f.table("hmtx")+4*glyph)*1000 + units - 1) / units)
}

// glyph looks up the character in the font's map of format 4.
func (f trueType) glyph(r int) int {
	cmap := f.table("cmap")
	for i := range f.u16(cmap + 2) {
		at := cmap + f.u32(cmap+4+8*i+4)
		if f.u16(at) != 4 {
			continue
		}
		n := f.u16(at + 6) // twice the number of segments
		for s := 0; s < n; s += 2 {
			end, start := f.u16(at+14+s), f.u16(at+16+n+s)
			if r > end || r < start {
				continue
			}
			delta, offset := f.u16(at+16+2*n+s), f.u16(at+16+3*n+s)
			if offset == 0 {
				return (r + delta) & 0xffff
			}
			if glyph := f.u16(at + 16 + 3*n + s + offset + 2*(r-start)); glyph != 0 {
				return (glyph + delta) & 0xffff
			}
			return 0
		}
	}
	panic("the font has no map of characters")
}

// TestWrapKeepsNumbers: a line does not end inside a large number.
func TestWrapKeepsNumbers(t *testing.T) {
	style := &Style{Size: 10}
	for _, line := range style.Wrap("at least 1 234 572 events", style.TextWidth("at least 1 234")) {
		if line == "at least 1" || line == "at least 1 234" {
			t.Errorf("the line %q ends inside a number", line)
		}
	}
}
