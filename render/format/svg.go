package format

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"etrace/render/drawing"
	"etrace/render/graphviz"
)

var svgFormat = Format{
	Name:  "svg",
	Doc:   "scalable picture for browsers and slides, with title and description for screen readers",
	Write: SVG,
}

// partSize is the number of elements that are drawn at a time. Graphviz takes 10 KB of memory for each
// element and returns most of it.
const partSize = 4000

// SVG draws the drawing with Graphviz, as a document with a title and a description. It writes nothing if it
// fails.
func SVG(ctx context.Context, w io.Writer, d *drawing.Drawing) error {
	return drawSVG(ctx, w, d, partSize)
}

// drawSVG draws with Graphviz, in parts of at most that many elements, and joins the parts.
func drawSVG(ctx context.Context, w io.Writer, d *drawing.Drawing, limit int) error {
	parts := dotParts(d, limit, true)
	size := 0
	for _, dot := range parts {
		size += len(dot)
	}
	if err := graphviz.Fits(size); err != nil {
		return err
	}
	a := newAnnotator(d)
	for i, dot := range parts {
		raw, err := graphviz.SVG(ctx, dot)
		if err != nil {
			return err
		}
		parts[i] = nil
		a.addPart(raw, i == len(parts)-1)
	}
	return a.write(w)
}

// newAnnotator returns an annotator of Graphviz's SVG. The annotator adds a title and a description,
// and replaces the names of nodes with tips that explain the elements. It works line by line, as
// Graphviz writes, because parsing XML would take longer than drawing.
func newAnnotator(d *drawing.Drawing) *annotator {
	return &annotator{d: d, tips: tipsOf(d), ground: []byte(`<polygon fill="` + backgroundOf(d.Theme) + `" stroke="none"`)}
}

// addPart takes the next part of the drawing. The beginning of the document is kept for the first part only, its end for
// the last part only.
func (a *annotator) addPart(raw []byte, last bool) {
	first := a.parts == nil
	a.out = bytes.Buffer{}
	a.out.Grow(len(raw) + len(raw)/8)
	a.opening, a.previous = !first, a.nodes
	for line := range bytes.Lines(raw) {
		switch {
		case a.opening:
			a.opening = !bytes.HasPrefix(line, a.ground)
		case !last && bytes.HasPrefix(line, svgEnd):
			a.out.Truncate(a.out.Len() - len(groupEnd)) // of the group around all
		default:
			a.editLine(bytes.ReplaceAll(line, boldFamily, family))
		}
	}
	a.parts = append(a.parts, a.out.Bytes())
}

// write writes the document, if Graphviz has drawn all elements.
func (a *annotator) write(w io.Writer) error {
	if a.roots != 1 {
		return fmt.Errorf("graphviz's output has %d roots, expected one", a.roots)
	}
	if want := 1 + elements(a.d); a.groups != want { // one group is around all elements
		return fmt.Errorf("graphviz drew %d elements, expected %d", a.groups, want)
	}
	for _, part := range a.parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// DOT asks for bold text by the font Helvetica-Bold. Graphviz then writes boldFamily, which is replaced by the family
// of all other text.
var (
	boldFamily = []byte(`font-family="Helvetica,sans-Serif"`)
	family     = []byte("font-family=" + font)
)

// annotator edits Graphviz's SVG, line by line; see newAnnotator.
type annotator struct {
	d             *drawing.Drawing
	ground        []byte            // the beginning of the line of the background, which is before the elements
	tips          map[string]string // by the name of a node or the id of a path
	parts         [][]byte          // the complete parts
	out           bytes.Buffer      // the present part
	opening       bool              // true within the opening of a later part, which is omitted
	previous      int               // the greatest number of a node in the previous parts
	nodes         int               // the greatest number of a node in all parts
	id            []byte            // the id of the group whose title comes next
	roots         int               // the number of svg elements
	groups        int               // the number of groups
	inDeclaration bool              // inside a comment or the document type
}

// tipsOf maps the names of nodes and the ids of paths to their tips.
func tipsOf(d *drawing.Drawing) map[string]string {
	tips := make(map[string]string)
	nodes, paths := 0, 0
	for i := range d.Layers {
		l := &d.Layers[i]
		for j := range l.Nodes {
			if l.Nodes[j].Tip != "" {
				tips[nodeName(&l.Nodes[j], nodes+j)] = l.Nodes[j].Tip
			}
		}
		for j := range l.Paths {
			if l.Paths[j].Tip != "" {
				tips[pathName(&l.Paths[j], paths+j)] = l.Paths[j].Tip
			}
		}
		nodes += len(l.Nodes)
		paths += len(l.Paths)
	}
	return tips
}

var (
	svgStart   = []byte("<svg ")
	groupStart = []byte(`<g id="`)
	titleStart = []byte("<title>")
	titleEnd   = []byte("</title>")
	blankText  = []byte("> </text>\n")
	nodeGroup  = []byte("node")
	groupEnd   = []byte("</g>\n")
	svgEnd     = []byte("</svg>")
)

// editLine copies a line, or replaces or drops it.
func (a *annotator) editLine(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("<!")):
		// A comment or the document type, which is dropped. It may have several lines.
		a.inDeclaration = !bytes.Contains(line, []byte(">"))
	case a.inDeclaration:
		a.inDeclaration = !bytes.Contains(line, []byte(">"))
	case bytes.HasPrefix(line, svgStart):
		a.roots++
		a.out.WriteString(`<svg role="img" aria-labelledby="etrace-title etrace-desc" `)
		if size := a.d.Pixels; size != (drawing.Pixels{}) {
			fmt.Fprintf(&a.out, "width=\"%d\" height=\"%d\"\n", size.Width, size.Height)
		} else {
			a.out.Write(line[len(svgStart):])
		}
	case bytes.HasPrefix(line, []byte(" viewBox=")):
		a.out.Write(line)
		a.writeElement("title", "etrace-title", a.d.Title)
		a.writeElement("desc", "etrace-desc", a.d.Desc)
	case bytes.HasPrefix(line, groupStart):
		a.groups++
		a.id = untilQuote(line[len(groupStart):])
		a.writeGroup(line)
	case bytes.HasPrefix(line, titleStart) && bytes.HasSuffix(bytes.TrimSpace(line), titleEnd):
		a.writeTip(bytes.TrimSuffix(bytes.TrimSpace(line)[len(titleStart):], titleEnd))
	case bytes.HasPrefix(line, []byte("<text ")) && bytes.HasSuffix(line, blankText):
		// The label of a shape without a label is dropped.
	default:
		a.out.Write(line)
	}
}

// writeGroup writes the line that begins an element. Graphviz numbers the nodes of each part from 1; the numbers are made
// unique over all parts.
func (a *annotator) writeGroup(line []byte) {
	number, err := strconv.Atoi(string(bytes.TrimPrefix(a.id, nodeGroup)))
	if err != nil || !bytes.HasPrefix(a.id, nodeGroup) {
		a.out.Write(line)
		return
	}
	a.nodes = a.previous + number
	fmt.Fprintf(&a.out, "%snode%d%s", groupStart, a.nodes, line[len(groupStart)+len(a.id):])
}

// untilQuote returns the text before the next quotation mark.
func untilQuote(b []byte) []byte {
	before, _, _ := bytes.Cut(b, []byte(`"`))
	return before
}

// writeElement writes an element with an id and escaped text.
func (a *annotator) writeElement(name, id, text string) {
	fmt.Fprintf(&a.out, "<%s id=\"%s\">", name, id)
	xml.EscapeText(&a.out, []byte(text))
	fmt.Fprintf(&a.out, "</%s>\n", name)
}

// writeTip writes the tip of the element in place of its name, or nothing.
func (a *annotator) writeTip(name []byte) {
	tip, ok := a.tips[string(name)]
	if !ok {
		tip, ok = a.tips[string(a.id)]
	}
	if !ok {
		return
	}
	a.out.Write(titleStart)
	xml.EscapeText(&a.out, []byte(tip))
	a.out.Write(titleEnd)
	a.out.WriteByte('\n')
}
