package diagram

import "slices"

// named returns, for each row of headers, the columns with a name. The first row and a row at the bottom name all
// columns. A row between names the columns in which something happens before the next row. A name takes room, and of
// 256 processes only a few act in each part.
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
