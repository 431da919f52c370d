package format

import (
	"cmp"
	"context"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"etrace/render/drawing"
)

var dotFormat = Format{
	Name:  "dot",
	Doc:   "Graphviz text with all positions computed: draw it with neato -n2",
	Write: writeDOT,
}

// writeDOT writes the drawing as one graph.
func writeDOT(_ context.Context, w io.Writer, d *drawing.Drawing) error {
	_, err := w.Write(dotParts(d, math.MaxInt, false)[0])
	return err
}

// dotParts returns the drawing as Graphviz text: one graph if it has at most that many elements, otherwise
// several graphs, to be drawn one upon the other. The same drawing gives the same bytes. With tips, each text
// is followed by its [drawing.Node.Pointing]: the caller adds the tips to the result.
//
// Graphviz draws nodes in the order of their statements, each followed by the edges that leave it. So every layer
// is a run of nodes. Its lines that join no nodes leave an invisible node at its end.
func dotParts(d *drawing.Drawing, limit int, tips bool) [][]byte {
	w := &dotWriter{tips: tips, theme: d.Theme, areas: d.Areas, width: d.Width, height: d.Height, limit: limit, joined: elements(d) <= limit}
	w.writeBegin()
	rank := ranks(d)
	for i := range d.Layers {
		w.writeLayer(i, &d.Layers[i], rank)
	}
	w.writeEnd()
	return w.parts
}

// elements returns the number of nodes and paths of the drawing.
func elements(d *drawing.Drawing) int {
	n := 0
	for i := range d.Layers {
		n += len(d.Layers[i].Nodes) + len(d.Layers[i].Paths)
	}
	return n
}

const (
	font     = `"` + drawing.Family + `"`
	boldFont = `"Helvetica-Bold"`
	// pointsPerInch: Graphviz measures positions in points and sizes in inches.
	pointsPerInch = 72
	arrowSize     = drawing.HeadLength / 10
	// smallest is half the size of the smallest node that Graphviz makes.
	smallest = 0.36
	// periphery is the distance of the second outline from a node.
	periphery = 4
)

// dotWriter writes a drawing as one or more graphs.
type dotWriter struct {
	parts         [][]byte // the complete parts
	b             []byte   // the present part
	n             int      // the number of elements in b
	limit         int      // the maximum of n
	areas         []drawing.Area
	width, height float64
	// joined: lines name the nodes that they join, which are in the same part.
	joined bool
	tips   bool // whether tips are written, see dotParts
	theme  drawing.Theme
	// nodes and paths are the numbers of nodes and paths in the previous layers.
	nodes, paths int
}

// writeBegin writes the beginning of a part, which is the same for all, except that only the first part has areas.
func (w *dotWriter) writeBegin() {
	w.b = append(w.b, "// Positions are fixed: draw with neato -n2 -Tsvg.\ndigraph etrace {\n"...)
	w.b = append(w.b, `graph [pad="0" notranslate="true" outputorder="breadthfirst" bgcolor="`+backgroundOf(w.theme)+`"`...)
	if len(w.parts) == 0 {
		w.writeBackground(w.areas)
	}
	w.b = append(w.b, " fontname="+font+"]\n"...)
	w.b = append(w.b, `node [label=" " fontsize="1" fixedsize="true" margin="0" fontname=`+font+"]\n"...)
	w.b = append(w.b, `edge [arrowhead="none" arrowsize="`+number(arrowSize)+"\"]\n"...)
	w.writeCorner("nw", 0, 0)
	w.writeCorner("se", w.width, w.height)
}

// backgroundOf returns the background colour of a theme.
func backgroundOf(theme drawing.Theme) string {
	if theme == drawing.Light {
		return "white"
	}
	return theme.Color(drawing.Paper)
}

// writeEnd completes the present part.
func (w *dotWriter) writeEnd() {
	w.parts = append(w.parts, append(w.b, "}\n"...))
	w.b, w.n = nil, 0
}

// writeBackground writes filled polygons in the language of Graphviz's backgrounds.
func (w *dotWriter) writeBackground(areas []drawing.Area) {
	if len(areas) == 0 {
		return
	}
	w.b = append(w.b, ` _background="`...)
	for _, a := range areas {
		color := func(op, value string) { w.b = append(w.b, op+" "+strconv.Itoa(len(value))+" -"+value+" "...) }
		color("c", transparent)
		color("C", w.theme.Color(a.Fill))
		w.b = append(w.b, "P "+strconv.Itoa(len(a.Corners))...)
		for _, at := range a.Corners {
			w.b = append(w.b, ' ')
			w.b = appendNumber(w.b, at.X)
			w.b = append(w.b, ' ')
			w.b = appendNumber(w.b, w.height-at.Y)
		}
		w.b = append(w.b, ' ')
	}
	w.b = append(w.b, '"')
}

// transparent is the colour of invisible outlines.
const transparent = "#ffffff00"

// writeCorner puts an invisible node into a corner, so that the picture has the size of the drawing.
func (w *dotWriter) writeCorner(name string, x, y float64) {
	inset := func(v float64) float64 {
		if v == 0 {
			return smallest
		}
		return v - smallest
	}
	w.b = append(w.b, name...)
	w.b = append(w.b, ` [style="invis" shape="point" width="0" height="0" pos="`...)
	w.writePoint(drawing.Point{X: inset(x), Y: inset(y)})
	w.b = append(w.b, "\"]\n"...)
}

// writePoint writes a position. Graphviz's y grows upward.
func (w *dotWriter) writePoint(p drawing.Point) {
	w.b = appendNumber(w.b, p.X)
	w.b = append(w.b, ',')
	w.b = appendNumber(w.b, w.height-p.Y)
}

// appendNumber appends a number with two decimals, without a negative zero.
func appendNumber(b []byte, v float64) []byte {
	v = math.Round(v*100) / 100
	if v == 0 { // also for -0
		v = 0
	}
	return strconv.AppendFloat(b, v, 'f', 2, 64)
}

// number returns a number with two decimals.
func number(v float64) string { return string(appendNumber(nil, v)) }

// writeLayer writes nodes and paths, grouped by look, so that each look is written once. This also keeps the
// number of subgraphs small: Graphviz's time grows with it. Within a layer the order does not matter.
func (w *dotWriter) writeLayer(i int, l *drawing.Layer, rank map[*drawing.Style]int) {
	for _, group := range nodeGroups(l, rank) {
		write := func(j int) { w.writeNode(&l.Nodes[j], nodeName(&l.Nodes[j], w.nodes+j)) }
		w.writeGroup("node", nodeStyle(&l.Nodes[group[0]], w.theme), "", group, write)
	}
	w.nodes += len(l.Nodes)
	if len(l.Paths) == 0 {
		return
	}
	anchor := "layer" + strconv.Itoa(i)
	w.writeCorner(anchor, 0, 0)
	for _, group := range pathGroups(l, rank) {
		write := func(j int) { w.writePath(&l.Paths[j], pathName(&l.Paths[j], w.paths+j), anchor) }
		w.writeGroup("edge", pathStyle(&l.Paths[group[0]], w.theme), anchor, group, write)
	}
	w.paths += len(l.Paths)
}

// writeGroup writes elements of one look. If the part is full, the group continues in the next part, with a new
// anchor for its lines.
func (w *dotWriter) writeGroup(comment, style, anchor string, list []int, write func(j int)) {
	w.beginGroup(comment, style)
	for _, j := range list {
		if w.n == w.limit {
			w.endGroup()
			w.writeEnd()
			w.writeBegin()
			if anchor != "" {
				w.writeCorner(anchor, 0, 0)
			}
			w.beginGroup(comment, style)
		}
		w.n++
		write(j)
	}
	w.endGroup()
}

// ranks numbers the styles: first the listed styles of the drawing, then the others in the order of
// their first use.
func ranks(d *drawing.Drawing) map[*drawing.Style]int {
	rank := make(map[*drawing.Style]int)
	add := func(s *drawing.Style) {
		if _, ok := rank[s]; !ok {
			rank[s] = len(rank)
		}
	}
	for _, s := range d.Styles {
		add(s)
	}
	for i := range d.Layers {
		for j := range d.Layers[i].Nodes {
			add(d.Layers[i].Nodes[j].Style)
		}
		for j := range d.Layers[i].Paths {
			add(d.Layers[i].Paths[j].Style)
		}
	}
	return rank
}

// look identifies elements that look alike.
type look struct {
	style, hue, line int // their numbers
	faint            bool
}

// compare orders looks by style, hue, line and faintness.
func (l look) compare(m look) int {
	faint := func(l look) int {
		if l.faint {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(l.style, m.style), cmp.Compare(l.hue, m.hue), cmp.Compare(l.line, m.line), cmp.Compare(faint(l), faint(m)))
}

// beginGroup begins a subgraph of one look.
func (w *dotWriter) beginGroup(comment, style string) {
	w.b = append(w.b, "{ "+comment+" ["+style+"]\n"...)
}

func (w *dotWriter) endGroup() { w.b = append(w.b, "}\n"...) }

// writeStroke writes the points of a stroke; strokes after the first are separated by semicolons.
func (w *dotWriter) writeStroke(i int, points []drawing.Point) {
	if i > 0 {
		w.b = append(w.b, ';')
	}
	for j, at := range points {
		if j > 0 {
			w.b = append(w.b, ' ')
		}
		w.writePoint(at)
	}
}

// writeText writes the text of a label. For an empty label, Graphviz would show the name of the node, so it
// becomes a space.
func (w *dotWriter) writeText(text string) {
	before := len(w.b)
	w.b = appendEscaped(w.b, text)
	if len(w.b) == before {
		w.b = append(w.b, ' ')
	}
}

// nodeGroups returns the numbers of the nodes of a layer, grouped by look.
func nodeGroups(l *drawing.Layer, rank map[*drawing.Style]int) [][]int {
	return groups(len(l.Nodes), func(j int) look { return look{style: rank[l.Nodes[j].Style], faint: l.Nodes[j].Faint} })
}

// pathGroups returns the numbers of the paths of a layer, grouped by look.
func pathGroups(l *drawing.Layer, rank map[*drawing.Style]int) [][]int {
	return groups(len(l.Paths), func(j int) look {
		return look{rank[l.Paths[j].Style], l.Paths[j].Hue, l.Paths[j].Line, l.Paths[j].Faint}
	})
}

// groups returns the numbers below n, grouped by look, in ascending order of the looks.
func groups(n int, lookOf func(int) look) [][]int {
	byLook := make(map[look][]int)
	for i := range n {
		l := lookOf(i)
		byLook[l] = append(byLook[l], i)
	}
	var list [][]int
	for _, l := range slices.SortedFunc(maps.Keys(byLook), look.compare) {
		list = append(list, byLook[l])
	}
	return list
}

// nodeName returns the name of a node; count is its number. The tip of the node is found by this name.
func nodeName(n *drawing.Node, count int) string {
	if n.ID != "" {
		return n.ID
	}
	return "n" + strconv.Itoa(count)
}

// writeNode writes a node with its place, size and text.
func (w *dotWriter) writeNode(n *drawing.Node, name string) {
	w.b = append(w.b, name...)
	w.b = append(w.b, ` [pos="`...)
	w.writePoint(drawing.Point{X: n.X, Y: n.Y})
	width, height := n.W, n.H
	if n.Style.Double {
		width, height = width-2*periphery, height-2*periphery
	}
	w.b = append(w.b, `" width="`...)
	w.b = strconv.AppendFloat(w.b, width/pointsPerInch, 'f', 4, 64)
	w.b = append(w.b, `" height="`...)
	w.b = strconv.AppendFloat(w.b, height/pointsPerInch, 'f', 4, 64)
	w.b = append(w.b, '"')
	if n.Text != "" || w.tips && n.Pointing != "" {
		w.b = append(w.b, ` label="`...)
		w.writeText(n.Text)
		if w.tips {
			w.b = appendEscaped(w.b, n.Pointing)
		}
		w.b = append(w.b, [...]string{drawing.Center: "", drawing.Left: `\l`, drawing.Right: `\r`}[n.Align]...)
		w.b = append(w.b, '"')
	}
	w.b = append(w.b, "]\n"...)
}

// pathName returns the id of a path; count is its number.
func pathName(p *drawing.Path, count int) string {
	if p.ID != "" {
		return p.ID
	}
	return "l" + strconv.Itoa(count)
}

// writePath writes a path between its nodes or, for a line that joins nothing, between an anchor and itself. The stroke
// before an arrowhead is shortened by its length.
func (w *dotWriter) writePath(p *drawing.Path, id, anchor string) {
	from, to := p.From, p.To
	if !w.joined || from == "" {
		from, to = anchor, anchor
	}
	w.b = append(w.b, from+" -> "+to+` [id="`...)
	w.b = append(w.b, id...)
	w.b = append(w.b, `" pos="`...)
	head := p.Head()
	for i, stroke := range p.Strokes {
		if head == drawing.NoHead || i < len(p.Strokes)-1 {
			w.writeStroke(i, stroke)
			continue
		}
		if i > 0 {
			w.b = append(w.b, ';')
		}
		short, tip := shorten(stroke, headShapes[head].length*drawing.HeadLength)
		w.b = append(w.b, "e,"...)
		w.writePoint(tip)
		w.b = append(w.b, ' ')
		w.writeStroke(0, short)
	}
	w.b = append(w.b, "\"]\n"...)
}

// shorten moves the end of the stroke back, to the beginning of its arrowhead, and also returns the former
// end.
func shorten(stroke []drawing.Point, cut float64) ([]drawing.Point, drawing.Point) {
	n := len(stroke)
	out := append([]drawing.Point(nil), stroke...)
	tip := out[n-1]
	back := tip // the last point that differs from the tip, which gives the direction
	for i := n - 2; i >= 0 && back == tip; i-- {
		back = out[i]
	}
	dx, dy := back.X-tip.X, back.Y-tip.Y
	length := math.Hypot(dx, dy)
	if length == 0 {
		return out, tip
	}
	cut = min(cut, length*0.9) // a short line keeps a visible part
	end := drawing.Point{X: tip.X + dx/length*cut, Y: tip.Y + dy/length*cut}
	if out[n-2] == tip {
		out[n-2] = end
	}
	out[n-1] = end
	return out, tip
}

// headShapes names Graphviz's arrowheads; length is in units of arrow size.
var headShapes = [...]struct {
	name   string
	length float64
}{
	drawing.NoHead:       {"none", 0},
	drawing.Filled:       {"normal", 1},
	drawing.Vee:          {"vee", 1},
	drawing.Empty:        {"empty", 1},
	drawing.HeadDiamond:  {"diamond", 1.2},
	drawing.EmptyDiamond: {"odiamond", 1.2},
	drawing.HeadBox:      {"box", 0.75},
}

var shapes = [...]string{
	drawing.NoShape:       "box",
	drawing.Rectangle:     "box",
	drawing.Rounded:       "box",
	drawing.Octagon:       "octagon",
	drawing.Ellipse:       "ellipse",
	drawing.Diamond:       "diamond",
	drawing.TriangleUp:    "triangle",
	drawing.TriangleRight: "triangle",
	drawing.TriangleLeft:  "triangle",
	drawing.Hexagon:       "hexagon",
}

var dashes = [...]string{drawing.Solid: "solid", drawing.Dashed: "dashed", drawing.Dotted: "dotted", drawing.Invisible: "solid"}

// attributes builds a list of attributes.
type attributes []string

// set adds an attribute.
func (a *attributes) set(name, value string) { *a = append(*a, name+`="`+value+`"`) }

func (a attributes) String() string { return strings.Join(a, " ") }

// nodeStyle returns the attributes of all nodes with the look of n.
func nodeStyle(n *drawing.Node, theme drawing.Theme) string {
	s := theme.Shade(n.Look())
	var a attributes
	a.set("shape", shapes[s.Shape])
	switch s.Shape {
	case drawing.TriangleRight:
		a.set("orientation", "270")
	case drawing.TriangleLeft:
		a.set("orientation", "90")
	}
	style := []string{dashes[s.Dash]}
	if s.Fill != "" {
		style = append(style, "filled")
		a.set("fillcolor", s.Fill)
	}
	if s.Shape == drawing.Rounded {
		style = append(style, "rounded")
	}
	if s.Stroke == "" {
		a.set("color", "transparent")
	} else {
		a.set("color", s.Stroke)
		a.set("penwidth", number(s.Width))
	}
	a.set("style", strings.Join(style, ","))
	if s.Double {
		a.set("peripheries", "2")
	}
	if s.Text != "" {
		a.set("fontcolor", s.Text)
		a.set("fontsize", number(s.Size))
	}
	if s.Bold {
		a = append(a, "fontname="+boldFont)
	}
	return a.String()
}

// pathStyle returns the attributes of all paths with the look of p.
func pathStyle(p *drawing.Path, theme drawing.Theme) string {
	s := theme.Shade(p.Look())
	var a attributes
	if s.Double {
		a.set("color", s.Stroke+":"+theme.Color(drawing.Paper)+":"+s.Stroke)
	} else {
		a.set("color", s.Stroke)
	}
	a.set("penwidth", number(s.Width))
	if s.Dash != drawing.Solid {
		a.set("style", dashes[s.Dash])
	}
	if s.Head != drawing.NoHead {
		a.set("arrowhead", headShapes[s.Head].name)
	}
	return a.String()
}

// appendEscaped appends text as the inside of a quoted DOT string that Graphviz takes literally. Quotes, escapes
// (\N, \G, \l) and entities (Graphviz decodes &amp; in labels) lose their meaning. Characters that XML does not
// allow are removed; package story has already replaced them by visible ones.
func appendEscaped(b []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r == '"':
			b = append(b, `\"`...)
		case r == '\\':
			b = append(b, `\\`...)
		case r == '&':
			b = append(b, "&amp;"...)
		case isDrawable(r):
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// isDrawable reports whether a character may be in XML and is visible.
func isDrawable(r rune) bool { return r >= ' ' && r != 0x7f && r != 0xfffe && r != 0xffff }
