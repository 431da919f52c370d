package tracedb

import (
	"context"
	"database/sql/driver"
	"strings"

	"etrace/tracefmt"
)

// Readers of events join integers in SQL, where a value of another type counts as some integer, and they do not
// use the stored names of kinds. A query shows the stored values and names, so its Damage has to check them.

// typesChunk is the number of events that are checked under one lock.
const typesChunk = 1 << 16

// verifyTypes finds the first event with a value of another type.
func (r *Recording) verifyTypes(ctx context.Context) error {
	c, err := r.db.acquire()
	if err != nil {
		return err
	}
	defer r.db.release(c)
	var typed []string
	for _, name := range columnNames {
		typed = append(typed, "typeof("+name+") = 'integer'")
	}
	query := "SELECT ifnull(min(id), 0) FROM event WHERE id BETWEEN ?1 AND ?2 AND NOT (" + strings.Join(typed, " AND ") + ")"
	for from := int64(1); from <= r.run.Events && ctx.Err() == nil; from += typesChunk {
		last := min(from+typesChunk-1, r.run.Events)
		id, err := c.integer(query, arg(1, r.base+from), arg(2, r.base+last))
		switch {
		case err != nil:
			return err
		case id != 0:
			return r.errorf(tracefmt.Seq(id-r.base), "the event has a value of another type, expected integers")
		}
	}
	return ctx.Err()
}

// verifyKinds compares the stored names of kinds with the known ones.
func verifyKinds(c *conn) error {
	names := make(map[int64]string)
	err := c.each("SELECT kind, name FROM main.kind", func(row []driver.Value) error {
		if kind, ok := row[0].(int64); ok {
			names[kind] = textOf(row[1])
		}
		return nil
	})
	for _, k := range tracefmt.Kinds() {
		if name, ok := names[int64(k)]; err == nil && ok && name != k.String() {
			err = c.errorf(ErrDamaged, "events of kind %s are named %q", k, name)
		}
	}
	return err
}
