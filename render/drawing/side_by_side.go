package drawing

import (
	"slices"
	"strconv"
)

// besideGap is the distance between two drawings side by side.
const besideGap = 24

// Beside joins two drawings into one, the second to the right of the first.
func Beside(a, b *Drawing, title string) *Drawing {
	d := &Drawing{
		Diagram: a.Diagram, Title: title, Desc: "Left: " + a.Desc + " Right: " + b.Desc,
		Width: a.Width + besideGap + b.Width, Height: max(a.Height, b.Height),
		Layers: make([]Layer, max(len(a.Layers), len(b.Layers))), Hidden: a.Hidden + b.Hidden,
		Styles: slices.Clone(a.Styles),
	}
	for _, s := range b.Styles {
		if !slices.Contains(d.Styles, s) {
			d.Styles = append(d.Styles, s)
		}
	}
	d.place(a, "l", At(0, 0))
	d.place(b, "r", At(a.Width+besideGap, 0))
	return d
}

// Tile joins drawings of one size into one, in rows of that many columns.
func Tile(list []*Drawing, columns int, title string) *Drawing {
	first := list[0]
	rows := (len(list) + columns - 1) / columns
	d := &Drawing{
		Diagram: first.Diagram, Title: title, Desc: strconv.Itoa(len(list)) + " pictures, one after the other. " + first.Desc, Theme: first.Theme,
		Width: float64(columns)*(first.Width+besideGap) - besideGap, Height: float64(rows)*(first.Height+besideGap) - besideGap,
		Layers: make([]Layer, len(first.Layers)), Styles: slices.Clone(first.Styles),
	}
	for i, from := range list {
		d.place(from, "t"+strconv.Itoa(i)+"_", At(float64(i%columns)*(first.Width+besideGap), float64(i/columns)*(first.Height+besideGap)))
	}
	return d
}

// place adds the elements of another drawing, moved to the right and down. IDs get the prefix, so that they
// stay unique.
func (d *Drawing) place(from *Drawing, prefix string, shift Point) {
	name := func(id string) string {
		if id == "" {
			return ""
		}
		return prefix + id
	}
	for _, area := range from.Areas {
		area.Corners = slices.Clone(area.Corners)
		for i := range area.Corners {
			area.Corners[i].X += shift.X
			area.Corners[i].Y += shift.Y
		}
		d.Areas = append(d.Areas, area)
	}
	for i, layer := range from.Layers {
		target := &d.Layers[i]
		for _, n := range layer.Nodes {
			n.ID, n.X, n.Y = name(n.ID), n.X+shift.X, n.Y+shift.Y
			target.Nodes = append(target.Nodes, n)
		}
		for _, p := range layer.Paths {
			p.ID, p.From, p.To = name(p.ID), name(p.From), name(p.To)
			p.Strokes = slices.Clone(p.Strokes)
			for j, stroke := range p.Strokes {
				p.Strokes[j] = slices.Clone(stroke)
				for k := range stroke {
					p.Strokes[j][k].X += shift.X
					p.Strokes[j][k].Y += shift.Y
				}
			}
			target.Paths = append(target.Paths, p)
		}
	}
}
