package tracedb

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// explainMistake rewrites a message of SQLite about a statement. For an unknown name it adds the closest known one.
func (r *Rows) explainMistake(message string) string {
	if name, ok := strings.CutPrefix(message, "no such table: "); ok {
		return text.Unknown("view", name, r.source.views).Error()
	}
	if name, ok := strings.CutPrefix(message, "no such column: "); ok {
		name = name[strings.LastIndexByte(name, '.')+1:]
		if _, err := tracefmt.ParseKind(name); err == nil {
			return fmt.Sprintf("%s, expected single quotes around a text: '%s'", message, name)
		}
		columns, containing := r.viewColumns(name)
		if len(containing) > 0 {
			return fmt.Sprintf("%s, which is a column of %s; etrace query --help lists the columns", message, text.And(containing))
		}
		if near := text.Nearest(name, columns); near != "" {
			return fmt.Sprintf("%s, did you mean %q? etrace query --help lists the columns", message, near)
		}
		return message + "; etrace query --help lists the columns"
	}
	if message == "incomplete input" {
		return "the SQL is incomplete"
	}
	if before, ok := strings.CutSuffix(message, ": syntax error"); ok {
		return "the SQL is wrong at " + strings.TrimPrefix(before, "near ")
	}
	return message
}

// namesOf lists the objects of a kind.
func namesOf(objects []object, kind string) (names []string) {
	for _, o := range objects {
		if o.kind == kind {
			names = append(names, o.name)
		}
	}
	return names
}

// viewColumns lists the columns of all views, and the views that have a column with the given name.
func (r *Rows) viewColumns(name string) (names, containing []string) {
	for _, view := range r.source.views {
		rows, err := r.conn.Query("SELECT * FROM "+view+" LIMIT 0", nil)
		if err != nil {
			continue // only a suggestion is lost
		}
		names = append(names, rows.Columns()...)
		if slices.Contains(rows.Columns(), name) {
			containing = append(containing, view)
		}
		_ = rows.Close()
	}
	return names, containing
}

var readsTable = regexp.MustCompile(`(?i)\b(?:from|join)\s+(\w+)`)

// QueryRemark returns a remark on a statement that reads an internal table of etrace: its layout may change,
// and a view may be meant. It returns "" for other statements.
func QueryRemark(sql string) string {
	for _, m := range readsTable.FindAllStringSubmatch(sql, -1) {
		if slices.Contains(namesOf(objects, "table"), strings.ToLower(m[1])) {
			hint := "the views are " + strings.Join(namesOf(objects, "view"), ", ")
			if near := text.Nearest(m[1], namesOf(objects, "view")); near != "" {
				hint = fmt.Sprintf("did you mean the view %q?", near)
			}
			return fmt.Sprintf("%s is a table of etrace itself, whose layout may change; %s", m[1], hint)
		}
	}
	return ""
}
