package drawing

import "slices"

// besideGap is the room between two drawings side by side.
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
	d.place(a, "l", 0)
	d.place(b, "r", a.Width+besideGap)
	return d
}

// place adds what another drawing shows, moved to the right. The side comes
// before all IDs, which stay unique.
func (d *Drawing) place(from *Drawing, side string, x float64) {
	name := func(id string) string {
		if id == "" {
			return ""
		}
		return side + id
	}
	for _, area := range from.Areas {
		area.Corners = slices.Clone(area.Corners)
		for i := range area.Corners {
			area.Corners[i].X += x
		}
		d.Areas = append(d.Areas, area)
	}
	for i, layer := range from.Layers {
		to := &d.Layers[i]
		for _, n := range layer.Nodes {
			n.ID, n.X = name(n.ID), n.X+x
			to.Nodes = append(to.Nodes, n)
		}
		for _, p := range layer.Paths {
			p.ID, p.From, p.To = name(p.ID), name(p.From), name(p.To)
			p.Strokes = slices.Clone(p.Strokes)
			for j, stroke := range p.Strokes {
				p.Strokes[j] = slices.Clone(stroke)
				for k := range stroke {
					p.Strokes[j][k].X += x
				}
			}
			to.Paths = append(to.Paths, p)
		}
	}
}
