package tracedb_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// TestRowFormats: numbers, texts with quotes and control characters, blobs,
// null, and no row at all, in every form.
func TestRowFormats(t *testing.T) {
	db := filepath.Join(t.TempDir(), "t.db")
	a, err := tracedb.OpenAppend(db)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	if err := tracefmt.Copy(a, tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, End: tracefmt.Stopped}), nil); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	const row = `select 1 as n, 0.5 as half, 'a "b",' || char(27) as t, x'00ff' as blob, null as void`
	for _, tt := range []struct{ format, sql, want string }{
		{"csv", row, "n,half,t,blob,void\n1,0.5,\"a \"\"b\"\",\x1b\",00ff,\n"},
		{
			"json", row,
			`{"format":"etrace.query/1","columns":["n","half","t","blob","void"],"rows":[` +
				"\n" + `[1,0.5,"a \"b\",\u001b",{"hex":"00ff"},null]]}` + "\n",
		},
		{"table", row, "n  half  t             blob  void\n1  0.5   a \"b\",\\u001b  00ff  \n"},
		{"csv", "select 1 as n where 0", "n\n"},
		{"json", "select 1 as n where 0", `{"format":"etrace.query/1","columns":["n"],"rows":[]}` + "\n"},
		{"json", "select 1 as n union select 2", `{"format":"etrace.query/1","columns":["n"],"rows":[` + "\n[1],\n[2]]}\n"},
		{
			"json", "select 1 as n, 1.0 as n, 9223372036854775807 as n, 1e300 as n, 9e999 as n, -9e999 as n, cast(x'ff' as text) as n",
			`{"format":"etrace.query/1","columns":["n","n","n","n","n","n","n"],"rows":[` +
				"\n" + `[1,1.0,9223372036854775807,1e+300,9e999,-9e999,{"hex":"ff"}]]}` + "\n",
		},
	} {
		if got := queried(t, db, tt.format, tt.sql); got != tt.want {
			t.Errorf("%s of %s:\ngot  %q\nwant %q", tt.format, tt.sql, got, tt.want)
		}
	}
}

func queried(t *testing.T, file, format, sql string) string {
	t.Helper()
	f, err := tracedb.RowFormats().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	db, err := tracedb.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(context.Background(), sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	if err := f.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
