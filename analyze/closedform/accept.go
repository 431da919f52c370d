package closedform

import (
	"cmp"
	"fmt"
	"math"
)

// A fit is accepted if it is within maxOff of every measured point and chance does not refute it. It must also
// behave well from the smallest size up to extrapolation times the largest. There it must not be negative if no
// measured value is. It must not fall if the measured values rise, nor rise if they fall.
const (
	maxOff        = 0.05
	extrapolation = 2
)

// misfitLimit is the reduced chi-square above which the probability of the misfit is tested; a shape is refused if
// the probability is below chance. maxErrors is the limit for the error of a prediction, in standard errors.
const (
	misfitLimit = 4
	chance      = 1e-3
	maxErrors   = 4
)

// refusal returns the reason why the fit is not accepted; "" if it is. The fit was made from the first of the
// samples; made is their number.
func (f *Fit) refusal(variable string, made int, samples []sample) string {
	// A misfit above the limit may still be chance if there are few points: the test of chi-square decides.
	freedom := max(float64(made-len(f.terms)), 1)
	if f.Misfit > misfitLimit && chiSquared(freedom, f.Misfit*freedom) < chance {
		return fmt.Sprintf("misses its points by %.3g in the mean square, in standard errors", f.Misfit)
	}
	for i := range f.Predictions {
		if p := &f.Predictions[i]; math.Abs(p.Errors) > maxErrors {
			return fmt.Sprintf("predicts %s = %d %.1f standard errors off", variable, p.N, math.Abs(p.Errors))
		}
	}
	smallest := leastValue(samples)
	for _, s := range samples {
		if part := f.relativeError(s, smallest); part > maxOff {
			return fmt.Sprintf("is off by %s %% at %s = %.0f", percent(part), variable, s.n)
		}
	}
	return f.misbehaviour(variable, samples)
}

// misbehaviour returns where the fit is negative, or moves against the measured values; "" for nowhere.
func (f *Fit) misbehaviour(variable string, samples []sample) string {
	first, last := samples[0].n, samples[len(samples)-1].n
	negative := false
	for _, s := range samples {
		negative = negative || s.value < 0
	}
	// Values without a trend determine only the direction at their end.
	follow, way := first, trend(samples)
	if way == 0 {
		follow, way = last, direction(samples[len(samples)/2], samples[len(samples)-1])
	}
	previous := f.At(first)
	for n := first; n <= extrapolation*last; n += max(1, math.Floor(n/256)) {
		value := f.At(n)
		switch step := value - previous; {
		case value < -noticeable && !negative:
			return fmt.Sprintf("is negative at %s = %.0f, as no measured value is", variable, n)
		case n > follow && way*step < -noticeable*math.Abs(value):
			return fmt.Sprintf("%s at %s = %.0f, the measured values %s", verbOf(step), variable, n, verbOf(way))
		}
		previous = value
	}
	return ""
}

// verbOf returns the verb for a step: "falls" or "rises".
func verbOf(step float64) string {
	if step < 0 {
		return "falls"
	}
	return "rises"
}

// trend returns 1 if the values rise and never fall, -1 if they fall and never rise, otherwise 0.
func trend(samples []sample) float64 {
	way := 0.0
	low, high := samples[0], samples[0]
	for _, s := range samples {
		// Comparing each value with the extremes before it also detects a fall in many small steps.
		up, down := direction(low, s) > 0, direction(high, s) < 0
		switch {
		case up && way < 0 || down && way > 0 || up && down:
			return 0
		case up:
			way = 1
		case down:
			way = -1
		}
		if s.value < low.value {
			low = s
		}
		if s.value > high.value {
			high = s
		}
	}
	return way
}

// direction returns the sign of the step between two values, 0 if it is within the standard errors.
func direction(a, b sample) float64 {
	step := b.value - a.value
	if math.Abs(step) <= withinErrors*math.Hypot(a.chance, b.chance) {
		return 0
	}
	return float64(cmp.Compare(step, 0))
}

// relativeError returns the difference between fit and sample, relative to the sample or, for 0, to the smallest value.
func (f *Fit) relativeError(s sample, smallest float64) float64 {
	return math.Abs(f.At(s.n)-s.value) / max(math.Abs(s.value), smallest)
}

// leastValue returns the smallest absolute value other than 0, by default 1.
func leastValue(samples []sample) float64 {
	smallest := math.Inf(1)
	for _, s := range samples {
		if s.value != 0 {
			smallest = min(smallest, math.Abs(s.value))
		}
	}
	if math.IsInf(smallest, 1) {
		return 1
	}
	return smallest
}
