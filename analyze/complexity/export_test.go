package complexity

import "iter"

// All yields the links with messages.
func (l Links) All() iter.Seq[linkCount] { return l.counts() }
