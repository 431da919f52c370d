// Package chart plots measurements: series of points with what they range over, lines of
// theory beside them, and bounds as areas that no point may be in. It knows neither
// runs nor sweeps; what it makes is a drawing, which package format writes.
//
// An axis is logarithmic where its values grow by factors. Series differ in shape as well as in
// colour, and lines in their dashes.
package chart
