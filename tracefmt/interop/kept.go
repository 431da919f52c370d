package interop

import (
	"iter"

	"etrace/tracefmt/spill"
)

// Kept is a list of texts of the file that are read a second time. It is for formats in which the meaning of a
// part depends on the whole file. Texts beyond the memory limit ([Settings.Memory]) are on disk.
type Kept struct {
	r      *Reading
	places *spill.List[kept]
	texts  *spill.Texts
}

// kept is the place of a text, and the line in which it begins.
type kept struct {
	line  int
	place spill.Place
}

// Keep begins a list of texts.
func (r *Reading) Keep() *Kept {
	return &Kept{r: r, places: spill.NewList[kept](r.store), texts: spill.NewTexts(r.store)}
}

// Add appends a text that begins in the line, and returns its index.
func (k *Kept) Add(line int, text string) int {
	k.places.Add(kept{line, k.texts.Add([]byte(text))})
	return k.places.Len() - 1
}

// At returns the text with an index. If the disk cannot be read it returns "", and [Import] returns the error.
func (k *Kept) At(number int) string { return string(k.texts.At(k.places.At(number).place)) }

// All yields the texts with their lines, in the order in which they were added. It ends early where the disk cannot
// be read; [Import] returns the error.
func (k *Kept) All() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range k.places.Len() {
			at := *k.places.At(i)
			text := string(k.texts.At(at.place))
			if err := k.r.store.Err(); err != nil {
				k.r.fail(k.r.Errorf(at.line, "%w", err))
				return
			}
			if !yield(at.line, text) {
				return
			}
		}
	}
}
