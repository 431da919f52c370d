package diagram

import "slices"

// named lists for each row of headers the columns that it names. The first row and
// one at the bottom name all; a row between names those in which something
// happens before the next one: of 256 processes these are few, and a name that
// nothing happens below only takes room.
func (s *sequence) named() [][]bool {
	rows := make([][]bool, len(s.headers))
	for row, y := range s.headers {
		rows[row] = make([]bool, len(s.story.Order))
		if row == 0 || y > s.bottom {
			for i := range rows[row] {
				rows[row][i] = true
			}
		}
	}
	for i := range s.story.Steps {
		if y := s.y[i]; y > 0 {
			row, _ := slices.BinarySearch(s.headers, y)
			rows[max(row-1, 0)][s.story.Column[s.story.Steps[i].Process]] = true
		}
	}
	return rows
}
