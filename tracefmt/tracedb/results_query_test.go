package tracedb

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// queryResults asks a file of two cells with two runs each, which measure two things and are
// checked for one.
func queryResults(t *testing.T, path, sql string) (string, []error, error) {
	t.Helper()
	r, err := ReadResults(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Query(t.Context(), sql, nil)
	if err != nil {
		return "", nil, err
	}
	defer rows.Close()
	lines := []string{strings.Join(rows.Columns(), ",")}
	for rows.Next() {
		var words []string
		for _, v := range rows.Values() {
			words = append(words, fmt.Sprint(v))
		}
		lines = append(lines, strings.Join(words, ","))
	}
	return strings.Join(lines, "\n"), rows.Damage(t.Context()), rows.Err()
}

func askedResults(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.db")
	about := `{"measures":["messages","time"],"properties":["fifo"]}`
	r, err := OpenResults(path, about, `[{"n":3,"at":{"algorithm":"bully","param k":"a"}},{"n":4,"at":{"algorithm":"ring"}}]`)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	values := []string{`[5,null,"satisfied"]`, `[7,2500000000,"violated",[0,7,9,"kept"]]`, `[6,1,"satisfied"]`, `[9,1,"vacuous"]`}
	if err := r.Put(len(values), func(i int) (int, int64, string) { return i / 2, int64(i % 2), values[i] }); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestQueryResults: the views have the stored outcomes.
func TestQueryResults(t *testing.T) {
	path := askedResults(t)
	for sql, want := range map[string]string{
		"select cell, n, at ->> 'algorithm' a, at ->> '$.\"param k\"' k from cells": "cell,n,a,k\n0,3,bully,a\n1,4,ring,<nil>",
		"select * from measures order by 1, 2, 3":                                   "cell,run,measure,value\n0,0,messages,5\n0,0,time,<nil>\n0,1,messages,7\n0,1,time,2500000000\n1,0,messages,6\n1,0,time,1\n1,1,messages,9\n1,1,time,1",
		"select * from verdicts order by 1, 2":                                      "cell,run,property,verdict\n0,0,fifo,satisfied\n0,1,fifo,violated\n1,0,fifo,satisfied\n1,1,fifo,vacuous",
		"select n, sum(value) s, typeof(max(value)) t from measures join cells using(cell) where measure = " +
			"'messages' group by n": "n,s,t\n3,12,integer\n4,15,integer",
		"select count(*) c from result": "c\n4",
	} {
		got, damage, err := queryResults(t, path, sql)
		if err != nil || got != want || damage != nil {
			t.Errorf("%s: got %q, %v, %v, want %q", sql, got, damage, err, want)
		}
	}
}

// TestQueryResultsMistakes: results are only read, and the views are named.
func TestQueryResultsMistakes(t *testing.T) {
	path := askedResults(t)
	for sql, want := range map[string]string{
		"delete from result":                      "a file of results is only read here, expected a SELECT statement, not DELETE",
		"select * from runs":                      `unknown view "runs" (known: cells, measures, verdicts)`,
		"select * from mesures":                   `unknown view "mesures", did you mean "measures"? (known: cells, measures, verdicts)`,
		"select valeu from measures":              `no such column: valeu, did you mean "value"? etrace query --help lists the columns`,
		"with x as (select 1) delete from result": "a file of results is only read here",
		"select load_extension('x')":              "not authorized to use function: load_extension",
	} {
		if _, _, err := queryResults(t, path, sql); !errors.Is(err, errNotQuery) || !strings.HasPrefix(err.Error(), path+": "+want) {
			t.Errorf("%s: got %v, want %s", sql, err, want)
		}
	}
}

// TestQueryDamagedResults: a row with a wrong checksum is reported.
func TestQueryDamagedResults(t *testing.T) {
	path := askedResults(t)
	change(t, path, "UPDATE result SET value = '[1,1,\"satisfied\"]' WHERE cell = 1 AND run = 0")
	_, damage, err := queryResults(t, path, "select * from measures")
	if err != nil || len(damage) != 1 || !errors.Is(damage[0], ErrDamaged) || !strings.Contains(damage[0].Error(), "cell 1 run 0") {
		t.Errorf("got %v, %v", damage, err)
	}
}

// TestSetAbout: the description can be replaced, and is stored.
func TestSetAbout(t *testing.T) {
	path := askedResults(t)
	r, err := OpenResults(path, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetAbout("more"); err != nil || r.About() != "more" {
		t.Fatalf("got %q, %v", r.About(), err)
	}
	r.Close()
	if rows, about, err := readResultRows(path); err != nil || about != "more" || len(rows) != 4 {
		t.Errorf("got %q, %d rows, %v", about, len(rows), err)
	}
}
