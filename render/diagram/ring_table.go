package diagram

import (
	"cmp"

	"etrace/tracefmt"
)

// tableRow is a message in the table beside the ring.
type tableRow struct{ cells [tableColumns]string }

const tableColumns = 4

var tableHeads = [tableColumns]string{"#", "time", "from → to", "message"}

func (r *ring) tableRow(m *linkMessage) tableRow {
	st := &r.steps[m.step]
	text := clean(st.label(), maxTableLabel)
	switch linkFate(st.fate) {
	case tooLate:
		text += "  × receiver down"
	case dropped:
		text += "  × " + cmp.Or(m.reason, "lost")
	case inFlight:
		text += "  … under way"
	}
	return tableRow{[tableColumns]string{group(int64(m.number)), r.tableTime(st.time), r.name(st.process) + " → " + r.name(st.peer), text}}
}

// tableTime is short: the table says at its head what it is.
func (r *ring) tableTime(t tracefmt.Time) string {
	if r.run.TimeUnit == tracefmt.Nanoseconds {
		return "+" + duration(t-r.first)
	}
	return shortTime(t)
}

// tableWidths returns the widths of the columns.
func (r *ring) tableWidths() [tableColumns]float64 {
	var widths [tableColumns]float64
	for i, head := range tableHeads {
		widths[i] = textWidth(head, TableHead) + 16
	}
	for _, row := range r.rows {
		for i, cell := range row.cells {
			widths[i] = max(widths[i], textWidth(cell, TableText)+16)
		}
	}
	return widths
}

func (r *ring) tableWidth() float64 {
	if len(r.rows) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range r.tableWidths() {
		sum += w
	}
	return sum
}

// drawTable lists the messages in the order of their sending, at the right
// of the ring and in its middle if there is room.
func (r *ring) drawTable() {
	if len(r.rows) == 0 {
		return
	}
	widths := r.tableWidths()
	height := float64(len(r.rows)+1) * tablePitch
	top := max(r.top+10, r.center.Y-height/2)
	r.tableLine(widths, tableHeads, TableHead, top)
	for i, row := range r.rows {
		y := top + float64(i+1)*tablePitch
		if i%2 == 0 {
			r.node(layerGround, Node{Class: Band, X: r.left + r.tableWidth()/2 - 6, Y: y, W: r.tableWidth(), H: tablePitch})
		}
		r.tableLine(widths, row.cells, TableText, y)
	}
	if more := r.numbers - len(r.rows); more > 0 {
		text := "… and " + plural(int64(more), "message") + " more"
		w := textWidth(text, TableText)
		r.node(layerTexts, Node{Class: TableText, X: r.left + w/2, Y: top + height, W: w, H: 14, Text: text, Align: Left})
	}
}

func (r *ring) tableLine(widths [tableColumns]float64, cells [tableColumns]string, class Class, y float64) {
	x := r.left
	for i, cell := range cells {
		w := widths[i] - 16
		if cell != "" {
			align := Left
			if i < 2 {
				align = Right
			}
			r.node(layerTexts, Node{Class: class, X: x + w/2, Y: y, W: w, H: 14, Text: cell, Align: align})
		}
		x += widths[i]
	}
}
