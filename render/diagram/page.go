package diagram

import (
	"cmp"
	"math"
	"strings"

	"etrace/render/drawing"
	"etrace/render/story"
)

// The layers of a page, back to front.
const (
	Ground = iota // bands, lifelines
	Lines         // headers and the messages between them
	Marks         // marks on lifelines, what is drawn inside them, and the legend
	Texts
	layers
)

// Margin is the room around what a page shows, in points.
const Margin = 16.0

// Page is a drawing in the making, with a heading above and a legend below
// what the diagram draws.
type Page struct {
	Drawing *drawing.Drawing
	Layout  Layout
	legend  legend
	story   *story.Story
	column  column
	short   [][]string // names of processes that are shortened, by process
}

// column is the upper left corner of a legend to the right of the diagram; zero for none.
type column struct{ left, top float64 }

// NewPage returns an empty page for the diagram of that name. Its width is to
// be set before the heading is written.
func NewPage(diagram string, s *story.Story, l Layout) *Page {
	d := &drawing.Drawing{
		Diagram: diagram, Title: s.Title(), Desc: s.Describe(diagram),
		Layers: make([]drawing.Layer, layers), Styles: styles, Hidden: s.Hidden, Theme: l.Theme,
	}
	return &Page{Drawing: d, Layout: l, story: s}
}

// Node adds a node to a layer.
func (p *Page) Node(layer int, n drawing.Node) {
	p.Drawing.Layers[layer].Nodes = append(p.Drawing.Layers[layer].Nodes, n)
}

// Path adds a path to a layer, and its line to the legend.
func (p *Page) Path(layer int, path drawing.Path) {
	p.legend.strands[path.Line] = path.Line > 0
	p.Drawing.Layers[layer].Paths = append(p.Drawing.Layers[layer].Paths, path)
}

// Explain adds a row to the legend, once.
func (p *Page) Explain(row *LegendRow) { p.legend.explain(row) }

// explainOpen explains the line of a message that is not received when the picture ends.
func (p *Page) explainOpen() {
	if p.story.LossesMissing() {
		p.Explain(legendNotReceived)
		return
	}
	p.Explain(legendOpen)
}

// ExplainType adds the message type of that number to the legend, once.
func (p *Page) ExplainType(number int) { p.legend.explainType(number) }

// lineOf returns the line pattern of a strand. It is 0 if all strands have the same pattern: there is one strand
// only, or more than patterns.
func (p *Page) lineOf(strand int) int {
	if n := len(p.story.Strands()); n > drawing.Lines || n == 0 {
		return 0
	}
	return strand
}

// Heading writes title, summary and warnings at the top and returns the y
// below.
func (p *Page) Heading() float64 {
	title := titleText
	if p.Layout.Spacing == Tight && title.TextWidth(p.Drawing.Title) > p.Drawing.Width-2*Margin {
		title = captionText
	}
	y := p.writeText(Margin, p.Drawing.Title, title)
	const lowPage = 400 // a lower page would have little room beside the summary
	if p.story.Options.Page == "" || p.Layout.Height == 0 || p.Layout.Height > lowPage {
		y = p.writeText(y, p.summary(), summaryText)
	}
	caption := p.story.Caption()
	if p.Layout.Like != nil { // a line, as in all frames
		caption = captionText.Fit(caption, p.Drawing.Width-2*Margin)
	}
	y = p.writeText(y, caption, captionText)
	return p.writeText(y, p.story.Missing(), warningText)
}

// summary returns the summary of the story. In a frame it takes no more lines than that of the whole run, since what is below has
// the places of the whole run.
func (p *Page) summary() string {
	text, like := p.story.Summary(), p.Layout.Like
	if like == nil {
		return text
	}
	width := p.textWidth()
	lines := summaryText.Wrap(text, width)
	if limit := max(len(summaryText.Wrap(like.Summary(), width)), 1); len(lines) > limit {
		lines = append(lines[:limit-1], summaryText.Fit(strings.Join(lines[limit-1:], " "), width))
	}
	return strings.Join(lines, " ")
}

// textWidth returns the width of a text across the page, or beside a column of the legend if there is one.
func (p *Page) textWidth() float64 { return cmp.Or(p.column.left, p.Drawing.Width) - 2*Margin }

// writeText writes a text across the page at y, or beside a column of the legend if there is one. It returns the y below.
func (p *Page) writeText(y float64, text string, style *drawing.Style) float64 {
	if text == "" {
		return y
	}
	width := p.textWidth()
	for _, line := range style.Wrap(text, width) {
		y += style.Size * 1.35
		p.Node(Texts, drawing.Node{Style: style, X: width/2 + Margin, Y: y - style.Size*0.55, W: width, H: style.Size * 1.3, Text: line})
	}
	return y + 3
}

// writeOmission writes at y how many labels are omitted and how to see them. It returns the y below.
func (p *Page) writeOmission(labels int, remedy, pointing string, y float64) float64 {
	if labels == 0 {
		return y
	}
	const above, below = 9.2, 12.675 // the middle of the first line is at y
	y = p.writeText(y-above, story.Plural(int64(labels), "label")+" left out where there is no room"+remedy, summaryText)
	return p.appendPointing(y, pointing) + below
}

// appendPointing appends words to the text that ends at y, for formats whose readers can point at things. It returns the y
// below.
func (p *Page) appendPointing(y float64, words string) float64 {
	texts := p.Drawing.Layers[Texts].Nodes
	last := &texts[len(texts)-1]
	if last.Style.TextWidth(last.Text+words) <= last.W {
		last.Pointing = words
		return y
	}
	more := *last // the words go on a line of their own
	more.Text, more.Pointing = "", strings.TrimLeft(words, ",: ")
	more.Y += more.Style.Size * 1.35
	p.Node(Texts, more)
	return y + more.Style.Size*1.35
}

// Close writes the legend below y and returns the finished drawing.
func (p *Page) Close(y float64) *drawing.Drawing {
	if !p.Layout.NoLegend && p.column.left > 0 {
		y = max(y, p.drawLegend(y))
	} else if !p.Layout.NoLegend {
		y = p.drawLegend(y)
	}
	if names, pointing := p.fullNames(); names != "" {
		y = p.writeText(y+6, names, summaryText)
		y = p.appendPointing(y, pointing)
	}
	// Whole points: viewers round, and would leave a dark edge.
	p.Drawing.Width, p.Drawing.Height = math.Ceil(p.Drawing.Width), max(math.Ceil(y+Margin), math.Floor(p.Layout.Height))
	return p.Drawing
}
