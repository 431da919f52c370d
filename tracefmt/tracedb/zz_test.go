package tracedb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestZWrite(t *testing.T) {
	if os.Getenv("ZW") == "" {
		t.Skip()
	}
	os.Remove("/tmp/proto/z.db")
	if err := writeBenchTrace("/tmp/proto/z.db"); err != nil {
		t.Fatal(err)
	}
}
func cpuNow() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
func TestZScan(t *testing.T) {
	if os.Getenv("ZS") == "" {
		t.Skip()
	}
	q := func(sql string) {
		t0 := cpuNow()
		c, err := connect("/tmp/proto/z.db", "z", "ro")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		st, err := c.prepare(sql)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := st.QueryContext(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		row := make([]driver.Value, len(rows.Columns()))
		n := 0
		for rows.Next(row) == nil {
			n++
		}
		fmt.Println(n, (cpuNow()-t0)/1000000, sql)
	}
	for range 3 {
		t0 := cpuNow()
		if err := scanBenchTrace("/tmp/proto/z.db"); err != nil {
			t.Fatal(err)
		}
		fmt.Println("full", (cpuNow()-t0)/1000000)
		db, _ := Open("/tmp/proto/z.db")
		r, _ := db.Recording(1)
		s := stream{r: r}
		q(s.query()[:len(s.query())-len("WHERE id BETWEEN ?1 AND ?2 ORDER BY id")] + "WHERE id BETWEEN 1 AND 1000000 ORDER BY id")
		q("SELECT time, who, payload FROM event WHERE id BETWEEN 1 AND 1000000 ORDER BY id")
		q("SELECT time|((id&255)<<47), who|(message<<17)|(cause<<36)|(lamport<<42), payload FROM event WHERE id BETWEEN 1 AND 1000000 ORDER BY id")
		q("SELECT time, who|(message<<17)|(cause<<36)|(lamport<<42), payload FROM event WHERE id BETWEEN 1 AND 1000000 ORDER BY id")
		q("SELECT time, who|(message<<17)|(cause<<36)|(lamport<<42), payload FROM event ORDER BY id")
		q("SELECT time, who,message,lamport,cause, payload FROM event ORDER BY id")
		q("SELECT time FROM event ORDER BY id")
		q("SELECT payload FROM event ORDER BY id")
	}
}
