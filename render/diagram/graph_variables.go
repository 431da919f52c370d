package diagram

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// What is written at a node.
const (
	mostLines = 3 // of variables
	linePitch = 11.0
)

// collectVariables finds the pointers, the token, and the lines at each node. Messages to oneself are the first line.
func (g *graph) collectVariables() {
	n := len(g.story.Column)
	g.lines, g.tips, g.hasToken = make([][]string, n), make([][]string, n), make([]bool, n)
	for _, p := range g.story.Order {
		if n := g.alone[p]; n > 0 {
			g.lines[p] = append(g.lines[p], story.Plural(int64(n), "message")+" to itself")
			g.tips[p] = slices.Clone(g.lines[p])
		}
		if g.story.After[p].Down {
			continue
		}
		variables := slices.Clone(g.story.VariablesOf(p))
		slices.SortStableFunc(variables, func(a, b story.Variable) int {
			return cmp.Compare(variableRank(&a), variableRank(&b))
		})
		for i := range variables {
			g.assign(p, &variables[i], variables)
		}
	}
}

// assign decides how a variable of a process is drawn; all are the variables of the process.
func (g *graph) assign(p tracefmt.ProcessID, v *story.Variable, variables []story.Variable) {
	row := slices.IndexFunc(pointers[:], func(row pointer) bool {
		return row.name == v.Name && (row.beside == "" ||
			slices.ContainsFunc(variables, func(variable story.Variable) bool { return variable.Name == row.beside }))
	})
	switch {
	// A pointer without a line has its place in the tip, since arrows of all pointers would hide the edges.
	case row >= 0 && len(v.Processes) > 0 && pointers[row].line == nil:
		g.tips[p] = append(g.tips[p], v.Text)
	case row >= 0 && len(v.Processes) > 0:
		for _, q := range v.Processes {
			a := pointerArrow{row: row, from: p, to: q, doubtful: v.Doubtful}
			if pointers[row].back {
				a.from, a.to = a.to, a.from
			}
			g.arrows = append(g.arrows, a)
		}
	case v.Name == tokenVariable:
		g.hasToken[p] = v.Set
		g.doubtfulToken = g.doubtfulToken || v.Doubtful
	case v.Set && v.Name != story.Elected && v.Name != story.Role:
		g.tips[p] = append(g.tips[p], v.Text)
		if g.isWritten(v) {
			g.lines[p] = append(g.lines[p], v.Text)
			g.doubtfulLines = g.doubtfulLines || v.Doubtful
		}
	}
}

// variableRank orders variables for a node, which has room for a few: flags, such as being inside a section, come
// before values.
func variableRank(v *story.Variable) int {
	if v.Flag {
		return 0
	}
	return 1
}

// isWritten reports whether a variable is written at the node, not only in its tip. In mutual exclusion these are the
// variables that show which processes wait, are inside, or wait for others; clocks and counters are details.
func (g *graph) isWritten(v *story.Variable) bool {
	return !g.story.Run.Solves(tracefmt.Mutex) || v.Flag || v.List && len(v.Processes) > 0
}

// writeVariables writes the first variables of each process at its node.
func (g *graph) writeVariables() {
	for _, p := range g.story.Order {
		lines := g.lines[p]
		if more := len(lines) - mostLines; more > 0 {
			lines = append(slices.Clone(lines[:mostLines]), "and "+strconv.Itoa(more)+" more")
		}
		if len(lines) > 0 && !g.writeLines(g.at[p], lines) {
			g.omitted++
		}
	}
	if g.doubtfulLines {
		g.page.Explain(legendLinesRecorded)
	}
}

// writeLines writes a block of lines beside a node, and reports whether there was room.
func (g *graph) writeLines(at drawing.Point, lines []string) bool {
	w := 0.0
	for _, line := range lines {
		w = max(w, valueLabel.TextWidth(line)+4)
	}
	h := linePitch * float64(len(lines))
	var spots []spot
	for ring, away := range [...]float64{0, 8, 18, 30} {
		// below, above, right, left, and between these
		for i, turn := range [...]float64{90, -90, 0, 180, 45, 135, -45, -135} {
			sin, cos := math.Sincos(turn * degree)
			place := drawing.At(at.X+cos*(g.node+w/2+3+away), at.Y+sin*(g.node+h/2+3+away))
			spots = append(spots, spot{place, float64(3*ring) + float64(i)})
		}
	}
	low := math.Inf(1)
	if g.page.column.left > 0 {
		low = g.page.Layout.Height - Margin
	}
	spots = slices.DeleteFunc(spots, func(s spot) bool {
		return s.X-w/2 < Margin || s.X+w/2 > g.right-Margin || s.Y-h/2 < g.top || s.Y+h/2 > low
	})
	place, ok := g.plan.cheapest(spots, w, h, tooDear, segment{})
	if !ok {
		return false
	}
	for i, line := range lines {
		y, width := place.Y-h/2+(float64(i)+0.5)*linePitch, valueLabel.TextWidth(line)+4
		g.page.Node(Texts, drawing.Node{Style: valueLabel, X: place.X, Y: y, W: width, H: linePitch, Text: line})
	}
	g.plan.cover(box{place.X - w/2, place.Y - h/2, place.X + w/2, place.Y + h/2}.grow(1))
	return true
}

// In an incomplete recording the token may be elsewhere, and variables may have other values.
var (
	legendToken         = &LegendRow{"token", nodeSample(tokenMark, 2*tokenRadius, 2*tokenRadius, "")}
	legendTokenRecorded = &LegendRow{"token, as far as is recorded", legendToken.Draw}
	legendLinesRecorded = &LegendRow{"variables, as far as is recorded", nodeSample(valueLabel, 34, linePitch, "x = 1")}
)
