package chart

import (
	"math"
	"slices"
	"strconv"
)

// scale maps values to places along an axis.
type scale struct {
	low, high  float64 // values at the ends
	from, to   float64 // places of the ends
	log        bool    // logarithmic
	base2      bool    // labels of a logarithmic axis are powers of two
	onlyWholes bool    // all values are whole numbers
}

// at returns the place of a value, at most farthest away.
func (s *scale) at(v float64) float64 {
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(max(v, s.low/1e6)), math.Log(low), math.Log(high)
	}
	part := min(max((v-low)/(high-low), -maxPlotted), maxPlotted)
	return s.from + part*(s.to-s.from)
}

// threeDecades is the ratio from which on a linear axis hides the small values.
const threeDecades = 1000

// spansDecades reports whether the values are positive and span more than three powers of ten.
func spansDecades(values []float64) bool {
	low, high := slices.Min(values), slices.Max(values)
	return low >= 1/maxPlotted && high/low > threeDecades && high/low <= maxPlotted
}

// growsByFactors reports whether a linear axis would crowd most values together: the values are positive, and half of
// them are in the lowest quarter of the axis.
func growsByFactors(values []float64) bool {
	if spansDecades(values) {
		return true
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	n := len(sorted)
	if n < 3 || sorted[0] < 1/maxPlotted || sorted[n-1]/sorted[0] < 16 || sorted[n-1]/sorted[0] > maxPlotted {
		return false
	}
	return sorted[n/2]-sorted[0] < (sorted[n-1]-sorted[0])/4
}

// arePowersOfTwo reports whether the values are three or more powers of two; then only these are labelled.
func arePowersOfTwo(values []float64) bool {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	return len(sorted) > 2 && !slices.ContainsFunc(sorted, func(v float64) bool {
		half, _ := math.Frexp(v)
		return v < 1 || half != 0.5
	})
}

// widen widens the axis so that no value is at its ends. With zero, an axis of nonnegative values begins at 0 if they
// are spread over most of it.
func (s *scale) widen(zero bool) {
	switch {
	case s.log && s.low == s.high:
		s.low, s.high = s.low/2, s.high*2
	case s.log:
		room := math.Pow(s.high/s.low, 0.04)
		s.low, s.high = s.low/room, s.high*room
	case s.low == s.high:
		step := max(1, math.Abs(s.low)/10)
		if s.low >= 0 {
			s.low = max(s.low-step, 0)
		} else {
			s.low -= step
		}
		s.high += step
	default:
		room := (s.high - s.low) * 0.04
		if zero && s.low >= 0 && s.low < s.high/2 {
			s.low = 0
		} else {
			s.low -= room
		}
		s.high += room
	}
}

// ticks returns the values with labels at the axis.
func (s *scale) ticks() []float64 {
	switch {
	case s.log && s.base2:
		return s.powers(2, []float64{1})
	case s.log && s.high/s.low > 300:
		return s.powers(10, []float64{1})
	case s.log:
		return s.powers(10, []float64{1, 2, 5})
	}
	return s.steps()
}

// powers returns the ticks of a logarithmic axis: multiples of powers of the base.
func (s *scale) powers(base float64, times []float64) (list []float64) {
	for e := math.Floor(math.Log(s.low) / math.Log(base)); ; e++ {
		for _, t := range times {
			v := math.Pow(base, e) * t
			if v > s.high {
				return dropTicks(list)
			}
			if v >= s.low {
				list = append(list, v)
			}
		}
	}
}

// maxTicks bounds the number of labels at an axis.
const maxTicks = 10

// dropTicks drops ticks until their labels have room.
func dropTicks(list []float64) []float64 {
	every := (len(list) + maxTicks - 1) / maxTicks
	if every < 2 {
		return list
	}
	var out []float64
	for i := 0; i < len(list); i += every {
		out = append(out, list[i])
	}
	return out
}

// steps returns multiples of 1, 2 or 5 times a power of ten.
func (s *scale) steps() (list []float64) {
	power := math.Pow(10, math.Floor(math.Log10((s.high-s.low)/maxTicks)))
	step := power
	for _, t := range []float64{1, 2, 5, 10} {
		step = power * t
		if (s.high-s.low)/step <= maxTicks {
			break
		}
	}
	if s.onlyWholes {
		step = max(step, 1)
	}
	first := math.Ceil(s.low / step)
	for i := first; i*step <= s.high && len(list) <= maxTicks+1; i++ {
		list = append(list, i*step)
	}
	return list
}

// label formats a value at an axis.
func label(v float64) string {
	switch size := math.Abs(v); {
	case size >= 1e7 || size > 0 && size < 1e-4:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case size >= 1e4 && v == math.Trunc(v):
		return groupThousands(strconv.FormatFloat(v, 'f', -1, 64))
	}
	s := strconv.FormatFloat(v, 'f', 4, 64)
	for s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// groupThousands puts a space between the thousands.
func groupThousands(s string) string {
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}
