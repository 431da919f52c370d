package sweeps

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io"
	"strings"

	"etrace/analyze/experiment/sweep"
	"etrace/render/drawing"
	"etrace/render/format"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Page is the report of a sweep.
type Page struct {
	Table *sweep.Table
	// Command is the command that makes the table again: "etrace sweep ...".
	Command string
}

// Write writes the page with its pictures, or nothing if it fails.
func (p *Page) Write(ctx context.Context, w io.Writer) error {
	content, err := p.content(ctx)
	if err != nil {
		return err
	}
	out := *bytes.NewBufferString(pageHead)
	if err := page.Execute(&out, content); err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// content has the values of the template.
type content struct {
	Title, Command        string
	ClosedForms, Formulas []finding
	Pictures              []template.HTML
	Table                 *document.Table
	Notes                 []string
	Published             []sweep.BoundTable
	Cells                 []cell
}

// finding is a closed form, or a given formula, in sentences.
type finding struct {
	Sentence string
	Details  []string
	Bad      bool // the measured values refute it
}

// cell has the commands that make a row of the table again, and the runs with the extreme values.
type cell struct {
	Name, Command string
	Extremes      []string
}

// content returns the texts and pictures of the page.
func (p *Page) content(ctx context.Context) (*content, error) {
	t := p.Table
	c := &content{Command: text.Printable(p.Command)}
	c.Title, c.Table, c.Notes = t.Text()
	c.Title = cmp.Or(t.Layout.Title, c.Title, "A sweep")
	c.Notes = c.Notes[:len(c.Notes)-t.FormulaNotes()]
	for _, f := range t.ClosedForms {
		c.ClosedForms = append(c.ClosedForms, newFinding(f.Result.Lines(f.Sequence.String()), false))
	}
	for _, f := range t.Formulas {
		c.Formulas = append(c.Formulas, newFinding(f.Comparison.Lines(f.Sequence.String()), f.Comparison.Refuted()))
	}
	c.Published = t.BoundTables()
	for i := range t.Cells {
		c.Cells = append(c.Cells, newCell(t, &t.Cells[i]))
	}
	return c, p.draw(ctx, c)
}

// newFinding takes the sentence from the first line and the details from the others.
func newFinding(lines []string, bad bool) finding {
	for i := range lines {
		lines[i] = strings.TrimSpace(text.Printable(lines[i]))
	}
	return finding{lines[0], lines[1:], bad}
}

// newCell describes a cell of the table.
func newCell(t *sweep.Table, source *sweep.Cell) cell {
	var words []string
	for i, axis := range t.Axes {
		words = append(words, axis+" "+source.At[i])
	}
	c := cell{Name: text.Printable(strings.Join(words, ", ")), Command: text.Printable("etrace sweep " + source.Command)}
	for i := range source.Measures {
		m := &source.Measures[i]
		if m.Count == 0 || m.MaxRun == "" {
			continue
		}
		c.Extremes = append(c.Extremes, text.Printable(fmt.Sprintf("%s %s: etrace record %s", m.Measure, m.Greatest().RatString(), m.MaxRun)))
		if m.Min != m.Max {
			c.Extremes = append(c.Extremes, text.Printable(fmt.Sprintf("%s %s: etrace record %s", m.Measure, m.Least().RatString(), m.MinRun)))
		}
	}
	return c
}

// draw draws each measure over n, and the first two against each other, if there are several sizes.
func (p *Page) draw(ctx context.Context, c *content) error {
	if !severalSizes(p.Table) {
		return nil
	}
	var drawings []*drawing.Drawing
	for _, measure := range p.Table.Measures {
		if !hasMeasure(p.Table, measure) {
			continue
		}
		d, err := Plot(p.Table, measure)
		if err != nil {
			return fmt.Errorf("plot of %s: %w", measure, err)
		}
		drawings = append(drawings, d)
	}
	if m := p.Table.Measures; len(drawings) > 1 && hasMeasure(p.Table, m[0]) && hasMeasure(p.Table, m[1]) {
		d, err := Plane(p.Table, m[1], m[0])
		if err != nil {
			return fmt.Errorf("plane: %w", err)
		}
		drawings = append(drawings, d)
	}
	for i, d := range drawings {
		picture, err := format.Element(ctx, d, fmt.Sprintf("p%d-", i+1))
		if err != nil {
			return err
		}
		c.Pictures = append(c.Pictures, template.HTML(picture))
	}
	return nil
}

// severalSizes reports whether the cells have different numbers of processes.
func severalSizes(t *sweep.Table) bool {
	for i := range t.Cells {
		if t.Cells[i].N != t.Cells[0].N {
			return true
		}
	}
	return false
}

// hasMeasure reports whether a cell has a value of the measure.
func hasMeasure(t *sweep.Table, measure string) bool {
	for i := range t.Cells {
		if m := t.Cells[i].Measure(measure); m != nil && m.Count > 0 {
			return true
		}
	}
	return false
}

// pageHead is the beginning of the page. By its comment, which templates would omit, the next command knows
// that it may replace the file.
const pageHead = "<!DOCTYPE html>\n<!-- Written by etrace -->\n"

// page is well-formed XML, too, so that the strictest parser reads it.
var page = template.Must(template.New("page").Parse(`<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width"/>
<title>{{.Title}}</title>
<style>
body { font: 14px Helvetica, Arial, sans-serif; color: #222222; margin: 24px; max-width: 1100px }
h2 { margin-top: 32px }
h3 { font-size: 14px; margin: 20px 0 4px }
.source { color: #5f6672; margin: 0 0 6px }
svg { max-width: 100%; height: auto }
table { border-collapse: collapse }
th, td { padding: 2px 12px; text-align: right; border-bottom: 1px solid #e3e6eb }
th { border-bottom: 1.5px solid #222222 }
code { font: 12px Menlo, Consolas, monospace; background: #f1f3f6; padding: 1px 4px; overflow-wrap: anywhere }
li { margin: 4px 0 }
.bad { color: #d55e00; font-weight: bold }
.wide { overflow-x: auto }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p>Made by <code>{{.Command}}</code></p>
{{if .ClosedForms}}<h2>Closed forms</h2>
<ul>
{{range .ClosedForms}}<li>{{.Sentence}}{{if .Details}}<ul>{{range .Details}}<li>{{.}}</li>{{end}}</ul>{{end}}</li>
{{end}}</ul>
{{end}}{{if .Formulas}}<h2>Formulas</h2>
<ul>
{{range .Formulas}}<li{{if .Bad}} class="bad"{{end}}>{{.Sentence}}{{if .Details}}<ul>{{range .Details}}<li>{{.}}</li>{{end}}</ul>{{end}}</li>
{{end}}</ul>
{{end}}{{if .Pictures}}<h2>Plots</h2>
{{range .Pictures}}<p>{{.}}</p>
{{end}}{{end}}<h2>Table</h2>
<div class="wide"><table>
<thead><tr>{{range .Table.Head}}<th>{{.}}</th>{{end}}</tr></thead>
<tbody>
{{range .Table.Rows}}<tr>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody>
</table></div>
{{range .Notes}}<p>{{.}}</p>
{{end}}{{if .Published}}<h2>Published bounds</h2>
<p>Each counts messages in its own way; beside it is the run that comes nearest to breaking it.</p>
{{range .Published}}{{$broken := .Broken}}<h3>{{.Title}}</h3>
{{if .Source}}<p class="source">{{.Source}}</p>
{{end}}<div class="wide"><table>
<thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead>
<tbody>
{{range $i, $row := .Rows}}<tr{{if index $broken $i}} class="bad"{{end}}>{{range $row.Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody>
</table></div>
{{end}}{{end}}<h2>How to make each number again</h2>
<ul>
{{range .Cells}}<li>{{.Name}} <code>{{.Command}}</code>{{if .Extremes}}<ul>{{range .Extremes}}<li><code>{{.}}</code></li>{{end}}</ul>{{end}}</li>
{{end}}</ul>
</body>
</html>
`))
