package complexity

import (
	"maps"
	"math"
	"slices"

	"etrace/tracefmt"
)

// histogram counts durations. Its memory is bounded: the counts are exact up to maxExact different durations.
// With more, each duration is rounded to three decimal digits, so that a percentile is wrong by at most 0.5 %.
// The zero value is empty.
type histogram struct {
	counts  map[tracefmt.Time]int64 // by duration
	rounded bool
	count   int64
	max     tracefmt.Time // exact
}

// maxExact is the number of different durations that are kept exactly.
const maxExact = 1000

// add adds a duration that is not negative.
func (h *histogram) add(d tracefmt.Time, times int64) {
	h.count += times
	h.max = max(h.max, d)
	if h.counts == nil {
		h.counts = make(map[tracefmt.Time]int64)
	}
	if h.rounded {
		d = threeDigits(d)
	}
	h.counts[d] += times
	if h.rounded || len(h.counts) <= maxExact {
		return
	}
	h.rounded = true
	exact := h.counts
	h.counts = make(map[tracefmt.Time]int64)
	for d, times := range exact {
		h.counts[threeDigits(d)] += times
	}
}

// join adds the durations of another histogram.
func (h *histogram) join(added *histogram) {
	for d, times := range added.counts {
		h.add(d, times)
	}
	h.max, h.rounded = max(h.max, added.max), h.rounded || added.rounded
}

// threeDigits rounds a duration to three decimal digits. It rounds down where the next higher number has no room.
func threeDigits(d tracefmt.Time) tracefmt.Time {
	digit := tracefmt.Time(1)
	for d/digit >= 1000 {
		digit *= 10
	}
	if d > math.MaxInt64-digit {
		return d / digit * digit
	}
	return (d + digit/2) / digit * digit
}

// percentiles returns for each of the ascending fractions the smallest duration that at least this fraction of
// the durations does not exceed (nearest rank). The histogram must not be empty.
func (h *histogram) percentiles(percent ...int64) []tracefmt.Time {
	list := make([]tracefmt.Time, 0, len(percent))
	passed := int64(0)
	for _, d := range slices.Sorted(maps.Keys(h.counts)) {
		passed += h.counts[d]
		for len(list) < len(percent) && passed >= rankOf(percent[len(list)], h.count) {
			list = append(list, min(d, h.max))
		}
	}
	return list
}

// rankOf returns the rank of a percentile among n values, from 1: ceil(n * percent / 100).
func rankOf(percent, n int64) int64 {
	return n/100*percent + (n%100*percent+99)/100
}

// overTime is a histogram for each of a few stretches of a run. Its zero value is empty.
type overTime struct {
	stretches map[int64]*histogram // by the number of the stretch; the first event is at the beginning of 0
	width     tracefmt.Time
	step      int // the number of times that the width grew
}

// maxStretches is the limit of the stretches, those without durations included.
const maxStretches = 16

// add adds a duration that begins at a time after the first event; before it, the time is negative. If the
// stretches become too many, they grow: their widths are 1, 5, 10, 50, 100, ... nanoseconds.
func (o *overTime) add(since, d tracefmt.Time) {
	if o.width == 0 {
		o.width, o.stretches = 1, make(map[int64]*histogram)
	}
	o.at(floorDiv(int64(since), int64(o.width))).add(d, 1)
	for o.span() >= maxStretches {
		o.grow()
	}
}

// at returns the histogram of a stretch.
func (o *overTime) at(number int64) *histogram {
	h := o.stretches[number]
	if h == nil {
		h = &histogram{}
		o.stretches[number] = h
	}
	return h
}

// begin returns the beginning of a stretch, the least or the greatest time if that has no room in 64 bits.
func (o *overTime) begin(number int64) tracefmt.Time {
	switch limit := math.MaxInt64 / int64(o.width); {
	case number < -limit:
		return math.MinInt64
	case number > limit:
		return math.MaxInt64
	}
	return tracefmt.Time(number) * o.width
}

// span returns the number of steps from the first stretch to the last.
func (o *overTime) span() uint64 {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for number := range o.stretches {
		first, last = min(first, number), max(last, number)
	}
	return uint64(last) - uint64(first)
}

// grow joins the stretches by fives and by twos, in turn.
func (o *overTime) grow() {
	factor := [...]int64{5, 2}[o.step%2]
	o.step++
	o.width *= tracefmt.Time(factor)
	old := o.stretches
	o.stretches = make(map[int64]*histogram)
	for _, number := range slices.Sorted(maps.Keys(old)) {
		o.at(floorDiv(number, factor)).join(old[number])
	}
}

// floorDiv divides and rounds down, negative quotients too; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
