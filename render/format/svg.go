package format

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"

	"etrace/render/drawing"
	"etrace/render/graphviz"
)

var svgFormat = Format{
	Name:  "svg",
	Doc:   "scalable picture for browsers and slides, with title and description for screen readers",
	Write: SVG,
}

// SVG draws the drawing with Graphviz, as a document with a title and a
// description. It writes nothing unless all went well.
func SVG(ctx context.Context, w io.Writer, d *drawing.Drawing) error {
	raw, err := graphviz.SVG(ctx, dotText(d))
	if err != nil {
		return err
	}
	svg, err := accessible(raw, d)
	if err != nil {
		return err
	}
	_, err = w.Write(svg)
	return err
}

// accessible turns Graphviz's SVG into one that says what it is: with a title
// and a description, and, in place of the names of nodes, tips that say what
// an element means. It works line by line, as Graphviz writes, because parsing
// XML would take longer than drawing.
func accessible(raw []byte, d *drawing.Drawing) ([]byte, error) {
	a := &annotator{tips: tipsOf(d)}
	a.out.Grow(len(raw) + len(raw)/8)
	for line := range bytes.Lines(raw) {
		a.line(bytes.ReplaceAll(line, boldFamily, family), d)
	}
	if a.roots != 1 {
		return nil, fmt.Errorf("graphviz's output has %d roots, expected one", a.roots)
	}
	if want := wanted(d); a.groups != want {
		return nil, fmt.Errorf("graphviz drew %d elements, expected %d", a.groups, want)
	}
	return a.out.Bytes(), nil
}

// For Helvetica-Bold, which is how DOT asks for bold text, Graphviz writes a
// family of its own. In its place comes that of all other text.
var (
	boldFamily = []byte(`font-family="Helvetica,sans-Serif"`)
	family     = []byte("font-family=" + font)
)

type annotator struct {
	out    bytes.Buffer
	tips   map[string]string
	id     []byte // of the group whose title comes next
	roots  int
	groups int
	skip   bool // inside the document type
}

// wanted is the number of groups that a complete drawing has: one for each
// element, and one around them all.
func wanted(d *drawing.Drawing) int {
	n := 1
	for i := range d.Layers {
		n += len(d.Layers[i].Nodes) + len(d.Layers[i].Paths)
	}
	return n
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
)

func (a *annotator) line(line []byte, d *drawing.Drawing) {
	switch {
	case bytes.HasPrefix(line, []byte("<!")):
		a.skip = !bytes.Contains(line, []byte(">")) // comments and the document type, which serve no purpose
	case a.skip:
		a.skip = !bytes.Contains(line, []byte(">"))
	case bytes.HasPrefix(line, svgStart):
		a.roots++
		a.out.WriteString(`<svg role="img" aria-labelledby="etrace-title etrace-desc" `)
		a.out.Write(line[len(svgStart):])
	case bytes.HasPrefix(line, []byte(" viewBox=")):
		a.out.Write(line)
		a.element("title", "etrace-title", d.Title)
		a.element("desc", "etrace-desc", d.Desc)
	case bytes.HasPrefix(line, groupStart):
		a.groups++
		a.id = quoted(line[len(groupStart):])
		a.out.Write(line)
	case bytes.HasPrefix(line, titleStart) && bytes.HasSuffix(bytes.TrimSpace(line), titleEnd):
		a.title(bytes.TrimSuffix(bytes.TrimSpace(line)[len(titleStart):], titleEnd))
	case bytes.HasPrefix(line, []byte("<text ")) && bytes.HasSuffix(line, blankText):
		// the label of a shape that has none
	default:
		a.out.Write(line)
	}
}

// quoted returns what comes before the next quotation mark.
func quoted(b []byte) []byte {
	before, _, _ := bytes.Cut(b, []byte(`"`))
	return before
}

func (a *annotator) element(name, id, text string) {
	fmt.Fprintf(&a.out, "<%s id=\"%s\">", name, id)
	xml.EscapeText(&a.out, []byte(text))
	fmt.Fprintf(&a.out, "</%s>\n", name)
}

// title writes the tip of the element in place of its name, or nothing.
func (a *annotator) title(name []byte) {
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
