package spill

// Texts is a list of byte strings of any length.
type Texts struct {
	store *Store
	pages []*page[byte]
}

// Place is the place of a text.
type Place struct{ page, at, len uint32 }

// NewTexts returns an empty list.
func NewTexts(s *Store) *Texts { return &Texts{store: s} }

// Add adds a text, and returns its place.
func (t *Texts) Add(text []byte) Place {
	last := len(t.pages) - 1
	if last < 0 || t.pages[last].len+len(text) > pageBytes {
		next := &page[byte]{store: t.store}
		if last >= 0 { // the first page grows, so that a short list takes little memory
			next.capacity = pageBytes
		}
		t.pages = append(t.pages, next)
		last++
	}
	p := t.pages[last]
	at := p.len
	p.add(text...)
	return Place{uint32(last), uint32(at), uint32(len(text))}
}

// At returns the text at a place, which the caller must not change.
func (t *Texts) At(p Place) []byte {
	if p.len == 0 {
		return nil
	}
	end := p.at + p.len
	return t.pages[p.page].values()[p.at:end:end]
}
