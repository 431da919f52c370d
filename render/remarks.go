package render

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"etrace/render/story"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// mostPixels is the greatest width and height of an SVG for which rsvg-convert makes a bitmap;
// its own limit is 32,767.
const mostPixels = 32_000

// svgSize is the size in the first lines of an SVG, in points.
var svgSize = regexp.MustCompile(`<svg [^>]*\bwidth="(\d+)pt" height="(\d+)pt"`)

// remarks reports oddities of the picture of a story.
func (o *Options) remarks(s *story.Story, f Format, picture []byte) {
	if o.Axis != "" && s.Suits() == s.Axis() {
		o.Remark(axisRemark(s), false)
	}
	for i := range o.Spans {
		if !slices.ContainsFunc(s.Stretches, func(st story.Stretch) bool { return st.Span == i }) {
			o.Remark(fmt.Sprintf("the span %s goes on nowhere in what is drawn", text.Quote(s.SpanText(i))), false)
		}
	}
	if remark := o.cutRemark(s); remark != "" {
		o.Remark(remark, false)
	}
	if f.Name != "svg" {
		return
	}
	if width, height := pixels(picture); max(width, height) > mostPixels {
		o.Remark(fmt.Sprintf("the picture is %d by %d pixels: browsers show it, but rsvg-convert and the like take at "+
			"most %d", width, height, mostPixels), true)
	}
}

// axisRemark returns a remark if the chosen axis is also the default, so that the choice changes nothing.
func axisRemark(s *story.Story) string {
	words := fmt.Sprintf("the axis %s changes nothing, since that is what suits the run", s.Axis().Name)
	if s.Axis() == story.Instants && s.Run.TimeUnit == tracefmt.Logical {
		words += ", whose times are logical clocks: what shares a row may have been one after the other"
	}
	return words
}

// pixels returns the size of an SVG at 96 dots per inch, as browsers and converters compute it; 0 if it is not in
// points.
func pixels(svg []byte) (width, height int) {
	const head = 1 << 10
	m := svgSize.FindSubmatch(svg[:min(len(svg), head)])
	if m == nil {
		return 0, 0
	}
	return fromPoints(m[1]), fromPoints(m[2])
}

// fromPoints converts points to pixels.
func fromPoints(digits []byte) int {
	points, _ := strconv.Atoi(string(digits)) // too many digits: the greatest number
	return points + points/3
}
