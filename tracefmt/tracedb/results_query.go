package tracedb

import "context"

// resultViews are the views for queries; they are created on demand. Values are counted numbers; times are in
// nanoseconds of a mean delay.
var resultViews = []object{
	{"view", "cells", `CREATE TEMP VIEW cells(cell, n, at) AS
SELECT c.key, c.value ->> 'n', c.value -> 'at'
FROM main.about AS a, json_each(a.value) AS c WHERE a.key = 'cells'`},
	{"view", "measures", `CREATE TEMP VIEW measures(cell, run, measure, value) AS
SELECT r.cell, r.run, m.value, r.value ->> ('$[' || m.key || ']')
FROM main.about AS a, json_each(a.value, '$.measures') AS m, main.result AS r WHERE a.key = 'grid'`},
	{"view", "verdicts", `CREATE TEMP VIEW verdicts(cell, run, property, verdict) AS
SELECT r.cell, r.run, p.value, r.value ->> ('$[' || (p.key + json_array_length(a.value, '$.measures')) || ']')
FROM main.about AS a, json_each(a.value, '$.properties') AS p, main.result AS r WHERE a.key = 'grid'`},
}

// Query runs SQL on the results, like [DB.Query] on a trace. The views are cells, measures and verdicts.
func (r *Results) Query(ctx context.Context, sql string, slow func()) (*Rows, error) {
	return r.source().query(ctx, sql, slow)
}

func (r *Results) source() *source {
	return &source{path: r.path, noun: "a file of results", views: namesOf(resultViews, "view"), open: r.openForQuery, damage: r.damage}
}

// openForQuery opens a connection for a query, with the views.
func (r *Results) openForQuery() (*conn, error) {
	c, err := connectWithin(0, r.path, r.path, "ro")
	if err != nil {
		return nil, err
	}
	for _, v := range resultViews {
		err = c.exec(v.sql)
		if err != nil {
			break
		}
	}
	if err == nil {
		err = c.exec("PRAGMA query_only = ON")
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// damage compares all rows with their checksums.
func (r *Results) damage(context.Context, map[string]bool) []error {
	if err := r.Each(func(int, int64, string) error { return nil }); err != nil {
		return []error{err}
	}
	return nil
}
