package diagram

import "testing"

func TestNumberList(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want string
	}{{[]int{1}, "1"}, {[]int{1, 9, 17, 25}, "1, 9, 17, 25"}, {[]int{1, 9, 17, 25, 33}, "1, 9, … 33 (5×)"}} {
		if got := numberList(c.in); got != c.want {
			t.Errorf("numberList(%v) = %q, want %q", c.in, got, c.want)
		}
	}
}
