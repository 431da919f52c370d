package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"

	"etrace/tracefmt"
)

// appendFields appends the payload of an event: a JSON object of the fields, or nothing without fields. It fails
// if a value has no JSON form.
func appendFields(buf []byte, kind tracefmt.Kind, fields []slog.Attr) ([]byte, error) {
	if len(fields) == 0 {
		if kind == tracefmt.State {
			return buf, fmt.Errorf("no variable, expected some")
		}
		return buf, nil
	}
	buf = append(buf, '{')
	for i := range fields {
		f := &fields[i]
		switch {
		case f.Key == "":
			return buf, fmt.Errorf("a field without a name")
		case f.Key == tracefmt.CausesKey, f.Key == tracefmt.LogKey:
			return buf, fmt.Errorf("field %s, which is etrace's own", f.Key)
		}
		for j := range i {
			if fields[j].Key == f.Key {
				return buf, fmt.Errorf("two fields are called %s", f.Key)
			}
		}
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(tracefmt.AppendString(buf, f.Key), ':')
		var err error
		buf, err = appendValue(buf, f.Value)
		if err != nil {
			return buf, fmt.Errorf("field %s: %w", f.Key, err)
		}
	}
	return append(buf, '}'), nil
}

// isPlain reports whether no value has a method of the program that recording it would call.
func isPlain(fields []slog.Attr) bool {
	for i := range fields {
		switch fields[i].Value.Kind() {
		case slog.KindAny, slog.KindGroup, slog.KindLogValuer:
			return false
		}
	}
	return true
}

// appendValue appends a value as JSON: durations in nanoseconds, times by RFC 3339, groups as objects.
func appendValue(buf []byte, v slog.Value) ([]byte, error) {
	switch v.Kind() {
	case slog.KindString:
		return tracefmt.AppendString(buf, v.String()), nil
	case slog.KindInt64:
		return strconv.AppendInt(buf, v.Int64(), 10), nil
	case slog.KindUint64:
		return strconv.AppendUint(buf, v.Uint64(), 10), nil
	case slog.KindBool:
		return strconv.AppendBool(buf, v.Bool()), nil
	case slog.KindDuration:
		return strconv.AppendInt(buf, int64(v.Duration()), 10), nil
	case slog.KindTime:
		return tracefmt.AppendString(buf, v.Time().Format(time.RFC3339Nano)), nil
	case slog.KindFloat64:
		// JSON has no infinity and no NaN.
		f := v.Float64()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return buf, fmt.Errorf("%v, expected a number", f)
		}
		return strconv.AppendFloat(buf, f, 'g', -1, 64), nil
	case slog.KindGroup:
		if len(v.Group()) == 0 {
			return append(buf, "{}"...), nil
		}
		return appendFields(buf, tracefmt.Note, v.Group())
	case slog.KindLogValuer:
		return appendValue(buf, v.Resolve())
	}
	encoded, err := marshal(v.Any())
	return append(buf, encoded...), err
}

// marshal returns any other value as encoding/json writes it. It fails if a method of the value panics, such as
// one of a nil pointer.
func marshal(value any) (encoded []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			encoded, err = nil, fmt.Errorf("%v", r)
		}
	}()
	switch value := value.(type) {
	case json.RawMessage:
		var b bytes.Buffer
		if err := json.Compact(&b, value); err != nil {
			return nil, fmt.Errorf("expected JSON: %w", err)
		}
		return b.Bytes(), nil
	case error:
		return tracefmt.AppendString(nil, value.Error()), nil
	}
	return json.Marshal(value)
}

// recordable returns the fields of a log line in a form that can be recorded. Groups without a name are replaced by
// their fields. Of fields with equal names the last counts, but groups are merged. Values without a JSON form
// become text.
func recordable(fields []slog.Attr) []slog.Attr {
	var attrs []slog.Attr
	for _, f := range fields {
		f.Value = f.Value.Resolve()
		if f.Value.Kind() == slog.KindGroup {
			inner := recordable(f.Value.Group())
			if f.Key == "" {
				attrs = recordable(append(attrs, inner...))
				continue
			}
			f.Value = slog.GroupValue(inner...)
		} else if _, err := appendValue(nil, f.Value); err != nil {
			f.Value = slog.StringValue(f.Value.String())
		}
		switch f.Key {
		case "":
			continue
		case tracefmt.CausesKey, tracefmt.LogKey: // the keys of etrace itself
			f.Key += "_"
		}
		i := slices.IndexFunc(attrs, func(attr slog.Attr) bool { return attr.Key == f.Key })
		switch {
		case i < 0:
			attrs = append(attrs, f)
		case attrs[i].Value.Kind() == slog.KindGroup && f.Value.Kind() == slog.KindGroup:
			attrs[i].Value = slog.GroupValue(recordable(append(slices.Clip(attrs[i].Value.Group()), f.Value.Group()...))...)
		default:
			attrs[i] = f
		}
	}
	return attrs
}
