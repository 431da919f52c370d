package parquetfile

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"etrace/tracefmt"
)

// column is a column of the table: its type in Parquet, and how it converts to and from a field of an event.
type column struct {
	name     string
	encoding string // the encoding, as the tags of parquet-go name it
	of       reflect.Type
	// optional: the number 0 and the empty text are stored as null.
	optional bool
	// value returns the value of an event; take sets the field of an event. take is not called for null.
	value func(run *labels, e *tracefmt.Event) parquet.Value
	take  func(run *names, e *tracefmt.Event, v parquet.Value) error
}

// The names of the columns that the writer treats specially.
const (
	runColumn = "run"
	seqColumn = "seq"
)

var (
	whole = reflect.TypeFor[int64]()
	words = reflect.TypeFor[string]()
)

// columns are the columns of the view events, without row ids. Whole numbers are stored as differences, words by
// dictionaries of the row group, payloads without encoding.
var columns = []column{
	{
		runColumn, "delta", whole, false,
		func(run *labels, _ *tracefmt.Event) parquet.Value { return run.number },
		func(run *names, _ *tracefmt.Event, v parquet.Value) error { return run.checkRun(v.Int64()) },
	},
	number(seqColumn, false, func(e *tracefmt.Event) *int64 { return (*int64)(&e.Seq) }),
	number("time", false, func(e *tracefmt.Event) *int64 { return (*int64)(&e.Time) }),
	{
		"process", "dict", words, true,
		func(run *labels, e *tracefmt.Event) parquet.Value { return run.process(e.Process) },
		func(run *names, e *tracefmt.Event, v parquet.Value) (err error) {
			e.Process, err = run.process(v.ByteArray())
			return err
		},
	},
	{
		"kind", "dict", words, false,
		func(_ *labels, e *tracefmt.Event) parquet.Value { return textValue(e.Kind.String()) },
		func(run *names, e *tracefmt.Event, v parquet.Value) (err error) {
			e.Kind, err = run.kind(v.ByteArray())
			return err
		},
	},
	{
		"type", "dict", words, true,
		func(_ *labels, e *tracefmt.Event) parquet.Value { return textValue(e.Type) },
		func(run *names, e *tracefmt.Event, v parquet.Value) (err error) {
			e.Type, err = run.text(v.ByteArray())
			return err
		},
	},
	{
		"peer", "dict", words, true,
		func(run *labels, e *tracefmt.Event) parquet.Value { return run.process(e.Peer) },
		func(run *names, e *tracefmt.Event, v parquet.Value) (err error) {
			e.Peer, err = run.process(v.ByteArray())
			return err
		},
	},
	number("message", true, func(e *tracefmt.Event) *int64 { return (*int64)(&e.Message) }),
	number("cause", true, func(e *tracefmt.Event) *int64 { return (*int64)(&e.Cause) }),
	number("lamport", true, func(e *tracefmt.Event) *int64 { return &e.Lamport }),
	number("term", true, func(e *tracefmt.Event) *int64 { return &e.Term }),
	{
		"payload", "plain", words, true,
		func(run *labels, e *tracefmt.Event) parquet.Value { return run.copyPayload(e.Payload) },
		func(run *names, e *tracefmt.Event, v parquet.Value) (err error) {
			e.Payload, err = run.object(v.ByteArray())
			return err
		},
	},
}

// number returns the column of a whole-number field of events.
func number(name string, optional bool, field func(*tracefmt.Event) *int64) column {
	return column{
		name, "delta", whole, optional,
		func(_ *labels, e *tracefmt.Event) parquet.Value { return parquet.Int64Value(*field(e)) },
		func(_ *names, e *tracefmt.Event, v parquet.Value) error {
			*field(e) = v.Int64()
			return nil
		},
	}
}

// textValue returns a value that shares the memory of the text.
func textValue(s string) parquet.Value {
	return parquet.ByteArrayValue(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// isNull reports whether an optional column stores the value as null.
func isNull(v parquet.Value) bool {
	if v.Kind() == parquet.Int64 {
		return v.Int64() == 0
	}
	return len(v.ByteArray()) == 0
}

// Columns returns the names of the columns, in their order.
func Columns() []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.name
	}
	return all
}

// without returns the columns except those whose values the folders of a file contain.
func without(names []string) []column {
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return slices.Contains(names, c.name) })
}

// schemaOf returns the Parquet schema of a table with these columns.
func schemaOf(columns []column) *parquet.Schema {
	fields := make([]reflect.StructField, len(columns))
	for i, c := range columns {
		tag := c.name + "," + c.encoding + ",zstd"
		if c.optional {
			tag += ",optional"
		}
		fields[i] = reflect.StructField{Name: "The_" + c.name, Type: c.of, Tag: reflect.StructTag(`parquet:"` + tag + `"`)}
	}
	return parquet.NewSchema("event", parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface()))
}
