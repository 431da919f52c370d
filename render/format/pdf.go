package format

import (
	"bytes"
	"context"
	"image/color"
	"io"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"etrace/render/drawing"
	"etrace/tracefmt/text"
)

var pdfFormat = Format{
	Name:  "pdf",
	Doc:   "document of one page for LaTeX and print; it contains its own font",
	Write: PDF,
}

// goFamily is the name of the Go fonts in a PDF document.
const goFamily = "go"

// perPixel is the number of points of a pixel, as in CSS.
const perPixel = 0.75

// PDF draws the drawing as a page of its size. It writes nothing if it fails. The same drawing gives the same bytes.
func PDF(ctx context.Context, w io.Writer, d *drawing.Drawing) error {
	width, height, scale := d.Width, d.Height, 1.0
	if d.Pixels != (drawing.Pixels{}) {
		width, height, scale = float64(d.Pixels.Width)*perPixel, float64(d.Pixels.Height)*perPixel, scaleOf(d)*perPixel
	}
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: width, Ht: height}})
	doc.SetAutoPageBreak(false, 0)
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetCreator("Written by etrace", false) // the mark in package atomicfile
	doc.SetTitle(text.Printable(d.Title), true)
	doc.SetSubject(text.Printable(d.Desc), true)
	for i, style := range [...]string{"", "B"} {
		doc.AddUTF8FontFromBytes(goFamily, style, fonts[i])
	}
	doc.AddPage()
	p := &page{doc}
	p.fill(colorOf(d.Theme.Color(drawing.Paper)), rectangle(width, height))
	doc.TransformBegin()
	doc.TransformScale(100*scale, 100*scale, 0, 0)
	if err := (&canvas{p, d.Theme}).draw(ctx, d); err != nil {
		return err
	}
	doc.TransformEnd()
	var out bytes.Buffer
	if err := doc.Output(&out); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// rectangle returns the corners of a page.
func rectangle(width, height float64) []drawing.Point {
	return []drawing.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}}
}

// page is a page of a PDF document.
type page struct{ doc *fpdf.Fpdf }

// fill implements [surface].
func (p *page) fill(ink color.NRGBA, polygons ...[]drawing.Point) {
	if ink.A == 0 {
		return
	}
	p.doc.SetFillColor(int(ink.R), int(ink.G), int(ink.B))
	p.doc.SetAlpha(float64(ink.A)/255, "Normal")
	for _, polygon := range polygons {
		if len(polygon) > 2 {
			p.beginPath(polygon)
			p.doc.ClosePath()
			p.doc.DrawPath("F")
		}
	}
}

// stroke implements [surface].
func (p *page) stroke(s *drawing.Style, lines [][]drawing.Point) {
	ink := colorOf(s.Stroke)
	if ink.A == 0 {
		return
	}
	p.doc.SetDrawColor(int(ink.R), int(ink.G), int(ink.B))
	p.doc.SetAlpha(float64(ink.A)/255, "Normal")
	p.doc.SetLineWidth(s.Width)
	p.doc.SetLineJoinStyle("round")
	p.doc.SetDashPattern(patterns[s.Dash], 0)
	for _, line := range lines {
		if len(line) > 1 {
			p.beginPath(line)
			p.doc.DrawPath("D")
		}
	}
}

// beginPath begins a path through the points.
func (p *page) beginPath(points []drawing.Point) {
	p.doc.MoveTo(points[0].X, points[0].Y)
	for _, at := range points[1:] {
		p.doc.LineTo(at.X, at.Y)
	}
}

// width implements [surface].
func (p *page) width(text string, s *drawing.Style) (float64, error) {
	style := ""
	if s.Bold {
		style = "B"
	}
	p.doc.SetFont(goFamily, style, s.Size)
	return p.doc.GetStringWidth(strings.Map(inFont, text)), p.doc.Error()
}

// text implements [surface].
func (p *page) text(n *drawing.Node, s *drawing.Style) error {
	ink := colorOf(s.Text)
	p.doc.SetTextColor(int(ink.R), int(ink.G), int(ink.B))
	p.doc.SetAlpha(float64(ink.A)/255, "Normal")
	width, err := p.width(n.Text, s)
	if err != nil {
		return err
	}
	p.doc.Text(beginOf(n, width), n.Y+s.Size*baseline, strings.Map(inFont, n.Text))
	return p.doc.Error()
}

// inFont replaces a character that the tables of the document do not express, and removes control characters.
func inFont(r rune) rune {
	const last, replacement = 0xffff, '\uFFFD'
	switch {
	case r < ' ' || r == 0x7f:
		return -1
	case r > last:
		return replacement
	}
	return r
}
