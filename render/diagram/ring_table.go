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

// tableRow returns the row of a message, with its fate.
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
		case st.Inferred:
			text += "  ? arrival inferred"
		}
	case tracefmt.ReceiverCrashed:
		text += "  × receiver down"
	case tracefmt.Lost:
		text += "  × " + cmp.Or(m.reason, "lost")
	case tracefmt.InFlight:
		// A gap of the record comes before an omission of the picture.
		switch {
		case st.Unsure:
			text += "  ? arrival not recorded"
		case st.LeftOut:
			text += "  // end not shown"
		case st.MayBeLost:
			text += "  … in flight or lost"
		default:
			text += "  … in flight"
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
	widths[0] = max(widths[0], tableText.TextWidth(story.Group(int64(r.numbers)))+16) // frames list the last ones
	for _, row := range r.rows {
		for i, cell := range row.cells {
			widths[i] = max(widths[i], tableText.TextWidth(cell)+16)
		}
	}
	return widths
}

// tableWidth returns the width of the table, 0 without rows.
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

// drawTable lists the messages in the order of their sends, to the right of the ring. In a low picture the legend is
// below the table.
func (r *ring) drawTable() {
	top, like := r.top+10, r.page.Layout.Like
	if r.beside {
		_, legend := r.page.placeLegend(r.left-6+10, r.d.Width-Margin-10)
		room := r.page.Layout.Height - Margin - legend - top - tablePitch
		r.cutTable(int(room/tablePitch) - 1)
		defer func() {
			r.page.column = column{r.left - 6, min(top+float64(len(r.rows)+2)*tablePitch, r.page.Layout.Height-Margin-legend)}
		}()
	}
	if len(r.rows) == 0 {
		return
	}
	widths := r.table
	height := float64(len(r.rows)+1) * tablePitch
	// Frames add rows one by one, so their table stays at the top.
	if like == nil && !r.beside {
		top = max(top, r.center.Y-height/2)
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
		if like != nil {
			text = "… and " + story.Plural(int64(more), "message") + " before"
		}
		w := tableText.TextWidth(text)
		r.page.Node(Texts, drawing.Node{Style: tableText, X: r.left + w/2, Y: top + height, W: w, H: 14, Text: text, Align: drawing.Left})
	}
}

// cutTable keeps the first rows of the table, up to a number, or the last rows in a frame, which shows the latest events.
func (r *ring) cutTable(rows int) {
	n := min(max(rows, 0), len(r.rows))
	if r.page.Layout.Like != nil {
		r.rows = r.rows[len(r.rows)-n:]
	}
	r.rows = r.rows[:n]
}

// tableLine writes the cells of a row at y.
func (r *ring) tableLine(widths [tableColumns]float64, cells [tableColumns]string, style *drawing.Style, y float64) {
	x := r.left
	for i, cell := range cells {
		w := widths[i] - 16
		if cell != "" {
			align := drawing.Left
			if i < 2 {
				align = drawing.Right
			}
			r.page.Node(Texts, drawing.Node{Style: style, X: x + w/2, Y: y, W: w, H: 14, Text: style.Fit(cell, w+1), Align: align})
		}
		x += widths[i]
	}
}
