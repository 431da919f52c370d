package format

import (
	"image"
	"image/color"
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
