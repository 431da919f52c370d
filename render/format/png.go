package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

var pngFormat = Format{
	Name:  "png",
	Doc:   "bitmap for documents without SVG; it contains its own font",
	Write: PNG,
}

// The resolution of bitmaps, in pixels for each point: the finer one if the picture then
// has no more than finePixels. Each pixel takes four bytes of memory.
const (
	fine       = 2
	coarse     = 1
	finePixels = 8 << 20 // of a large screen
	maxPixels  = 64 << 20
)

// PNG draws the drawing as a bitmap, with a font that is part of the program. It writes nothing if it fails.
func PNG(ctx context.Context, w io.Writer, d *drawing.Drawing) error {
	scale := scaleOf(d)
	if pixels := d.Width * d.Height * scale * scale; pixels > maxPixels || pixels < 1 {
		return fmt.Errorf("a picture of %.0f x %.0f pixels, expected at most %d million: draw an SVG", d.Width*scale,
			d.Height*scale, maxPixels>>20)
	}
	b := newBitmap(d.Width, d.Height, scale)
	if size := d.Pixels; size != (drawing.Pixels{}) {
		b.image = image.NewRGBA(image.Rect(0, 0, size.Width, size.Height))
	}
	draw.Draw(b.image, b.image.Bounds(), image.NewUniform(colorOf(d.Theme.Color(drawing.Paper))), image.Point{}, draw.Src)
	if err := (&canvas{b, d.Theme}).draw(ctx, d); err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, b.image); err != nil {
		return err
	}
	return writeChunks(w, out.Bytes(), d)
}

// scaleOf returns the number of pixels for a point of the drawing.
func scaleOf(d *drawing.Drawing) float64 {
	switch {
	case d.Pixels != (drawing.Pixels{}):
		return min(float64(d.Pixels.Width)/d.Width, float64(d.Pixels.Height)/d.Height)
	case d.Width*d.Height*fine*fine > finePixels:
		return coarse
	}
	return fine
}

// afterHeader is the end of the first chunk of a PNG, where texts may be inserted: the signature, then the length, the name,
// the data and the checksum of the chunk.
const afterHeader = 8 + 4 + 4 + 13 + 4

// writeChunks writes a PNG with texts that describe it. Package atomicfile recognises the file by the
// first text.
func writeChunks(w io.Writer, picture []byte, d *drawing.Drawing) error {
	var out bytes.Buffer
	out.Write(picture[:afterHeader])
	appendChunk(&out, "tEXt", "Software\x00Written by etrace")
	for _, entry := range []struct{ key, value string }{{"Title", d.Title}, {"Description", d.Desc}} {
		appendChunk(&out, "iTXt", entry.key+"\x00\x00\x00\x00\x00"+text.Printable(entry.value))
	}
	out.Write(picture[afterHeader:])
	_, err := w.Write(out.Bytes())
	return err
}

// appendChunk appends a chunk of a PNG, with its length and checksum.
func appendChunk(out *bytes.Buffer, kind, data string) {
	sum := crc32.NewIEEE()
	io.WriteString(sum, kind+data)
	out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	out.WriteString(kind + data)
	out.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
}

// bitmap is a picture of pixels, with coordinates in points.
type bitmap struct {
	image *image.RGBA
	scale float64
	pen   pen
	fonts [len(fonts)]*lettering
}

// newBitmap returns an empty bitmap for a drawing of that size.
func newBitmap(width, height, scale float64) *bitmap {
	return &bitmap{image: image.NewRGBA(image.Rect(0, 0, int(math.Ceil(width*scale)), int(math.Ceil(height*scale)))), scale: scale}
}
