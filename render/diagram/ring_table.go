package diagram

import (
	"cmp"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// tableRow is a message in the table beside the ring.
type tableRow struct{ cells [tableColumns]string }

const tableColumns = 4

var tableHeads = [tableColumns]string{"#", "time", "from → to", "message"}

func (r *ring) tableRow(m *linkMessage) tableRow {
	st := &r.story.Steps[m.step]
	text := m.long
	switch st.Fate {
	case tracefmt.Delivered:
		switch {
		case st.Unsent && st.Again:
			text += "  ○ received once more"
		case st.Unsent:
			text += "  ○ sent unrecorded"
		}
	case tracefmt.ReceiverCrashed:
		text += "  × receiver down"
	case tracefmt.Lost:
		text += "  × " + cmp.Or(m.reason, "lost")
	case tracefmt.InFlight:
		text += "  … under way"
		if st.Unsure {
			text = m.long + "  ? arrival not recorded"
		}
	}
	from, to := st.Ends()
	return tableRow{[tableColumns]string{story.Group(int64(m.number)), r.story.ShortTime(st.Time), r.story.Name(from) +
		" → " + r.story.Name(to), text}}
}

// tableWidths returns the widths of the columns.
func (r *ring) tableWidths() [tableColumns]float64 {
	var widths [tableColumns]float64
	for i, head := range tableHeads {
		widths[i] = tableHead.TextWidth(head) + 16
	}
	for _, row := range r.rows {
		for i, cell := range row.cells {
			widths[i] = max(widths[i], tableText.TextWidth(cell)+16)
		}
	}
	return widths
}

func (r *ring) tableWidth() float64 {
	if len(r.rows) == 0 {
		return 0
	}
	sum := 0.0
	for _, w := range r.table {
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
	widths := r.table
	height := float64(len(r.rows)+1) * tablePitch
	top := max(r.top+10, r.center.Y-height/2)
	if r.page.Layout.Like != nil { // rows come one after the other
		top = r.top + 10
	}
	r.tableLine(widths, tableHeads, tableHead, top)
	for i, row := range r.rows {
		y := top + float64(i+1)*tablePitch
		if i%2 == 0 {
			r.page.Node(Ground, drawing.Node{Style: bandBox, X: r.left + r.tableWidth()/2 - 6, Y: y, W: r.tableWidth(), H: tablePitch})
		}
		r.tableLine(widths, row.cells, tableText, y)
	}
	if more := r.numbers - len(r.rows); more > 0 {
		text := "… and " + story.Plural(int64(more), "message") + " more"
		w := tableText.TextWidth(text)
		r.page.Node(Texts, drawing.Node{Style: tableText, X: r.left + w/2, Y: top + height, W: w, H: 14, Text: text, Align: drawing.Left})
	}
}

func (r *ring) tableLine(widths [tableColumns]float64, cells [tableColumns]string, style *drawing.Style, y float64) {
	x := r.left
	for i, cell := range cells {
		w := widths[i] - 16
		if cell != "" {
			align := drawing.Left
			if i < 2 {
				align = drawing.Right
			}
			r.page.Node(Texts, drawing.Node{Style: style, X: x + w/2, Y: y, W: w, H: 14, Text: cell, Align: align})
		}
		x += widths[i]
	}
}
