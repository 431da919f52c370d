package format

import (
	"image"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"

	"etrace/render/drawing"
)

// TestTilesFillAlike: polygons that are filled tile by tile have the pixels of polygons that are filled in one box.
func TestTilesFillAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const width, height = 400, 200
		point := rapid.Custom(func(t *rapid.T) drawing.Point {
			return drawing.At(rapid.Float64Range(-50, width+50).Draw(t, "x"), rapid.Float64Range(-50, height+50).Draw(t, "y"))
		})
		polygons := rapid.SliceOfN(rapid.SliceOfN(point, 3, 6), 1, 5).Draw(t, "polygons")
		ink := color.NRGBA{0, 0, 0, rapid.SampledFrom([]uint8{255, 128}).Draw(t, "alpha")}
		tiled, direct := newBitmap(width, height, 1), newBitmap(width, height, 1)
		tiled.fill(ink, polygons...)
		direct.fillTile(image.NewUniform(ink), direct.image.Bounds(), polygons)
		for i := range tiled.image.Pix {
			const rounding = 8 // small boxes are drawn with integers, large ones with floating-point numbers
			if a, b := int(tiled.image.Pix[i]), int(direct.image.Pix[i]); a-b > rounding || b-a > rounding {
				t.Fatalf("pixel %d, %d is %d, want %d", i/4%width, i/4/width, a, b)
			}
		}
	})
}

// TestFlatten: the points of the polyline are on the cubic curve, as de Casteljau's construction finds them.
func TestFlatten(t *testing.T) {
	between := func(a, b drawing.Point, t float64) drawing.Point {
		return drawing.At(a.X+t*(b.X-a.X), a.Y+t*(b.Y-a.Y))
	}
	curve := []drawing.Point{drawing.At(1, 2), drawing.At(10, 50), drawing.At(90, -40), drawing.At(100, 30)}
	line := flatten(curve)
	for k, got := range line {
		level, at := curve, float64(k)/float64(len(line)-1)
		for len(level) > 1 {
			var next []drawing.Point
			for i := range level[1:] {
				next = append(next, between(level[i], level[i+1], at))
			}
			level = next
		}
		if math.Hypot(got.X-level[0].X, got.Y-level[0].Y) > 1e-9 {
			t.Errorf("point %d is %v, want %v", k, got, level[0])
		}
	}
	if len(line) < 5 || line[0] != curve[0] {
		t.Errorf("got %v", line)
	}
	// Only a curve with both control points at its ends is a straight line.
	oneSided := []drawing.Point{drawing.At(0, 0), drawing.At(0, 60), drawing.At(60, 0), drawing.At(60, 0)}
	if len(flatten(oneSided)) < 5 {
		t.Errorf("got %v", flatten(oneSided))
	}
}
