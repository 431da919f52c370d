package record

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Handler returns a handler of package slog that records the log lines of the process, and passes them on to
// next, which may be nil. A line with the attribute kind, the name of a kind of event, becomes an event of that
// kind. Its attributes type and peer are those of the event, its other attributes the fields; a receive is
// recorded as by [Process.ReceiveFrom]. Any other line becomes a note whose type is its message.
func (p *Process) Handler(next slog.Handler) slog.Handler { return &handler{process: p, next: next} }

// handler is the handler of [Process.Handler], with the groups and attributes that were added to it.
type handler struct {
	process *Process
	next    slog.Handler
	groups  []string
	fields  []slog.Attr
}

// Enabled implements [slog.Handler].
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.process != nil || h.next != nil && h.next.Enabled(ctx, level)
}

// WithAttrs implements [slog.Handler].
func (h *handler) WithAttrs(fields []slog.Attr) slog.Handler {
	c := *h
	c.fields = append(slices.Clip(h.fields), h.within(fields)...)
	if h.next != nil {
		c.next = h.next.WithAttrs(fields)
	}
	return &c
}

// WithGroup implements [slog.Handler].
func (h *handler) WithGroup(name string) slog.Handler {
	c := *h
	c.groups = append(slices.Clip(h.groups), name)
	if h.next != nil {
		c.next = h.next.WithGroup(name)
	}
	return &c
}

// within puts the fields into the open groups.
func (h *handler) within(fields []slog.Attr) []slog.Attr {
	for _, name := range slices.Backward(h.groups) {
		if len(fields) > 0 {
			fields = []slog.Attr{{Key: name, Value: slog.GroupValue(fields...)}}
		}
	}
	return fields
}

// Handle implements [slog.Handler].
func (h *handler) Handle(ctx context.Context, line slog.Record) error {
	var added []slog.Attr
	line.Attrs(func(a slog.Attr) bool {
		added = append(added, a)
		return true
	})
	h.process.log(line.Message, append(slices.Clip(h.fields), h.within(added)...))
	if h.next != nil && h.next.Enabled(ctx, line.Level) {
		return h.next.Handle(ctx, line)
	}
	return nil
}

// log records a log line as an event.
func (p *Process) log(message string, fields []slog.Attr) {
	fields = recordable(fields)
	message = strings.ToValidUTF8(message, "\uFFFD")
	words := map[string]string{}
	var inner []slog.Attr
	for _, f := range fields {
		switch f.Key {
		case "kind", "type", "peer":
			words[f.Key] = strings.ToValidUTF8(f.Value.String(), "\uFFFD")
		default:
			inner = append(inner, f)
		}
	}
	kind, err := tracefmt.ParseKind(words["kind"])
	switch {
	case err != nil || kind == tracefmt.Partition || kind == tracefmt.Heal || kind == tracefmt.Lose,
		kind == tracefmt.State && len(inner) == 0,
		missingPart(&tracefmt.Event{Kind: kind, Type: words["type"]}, words["peer"]) != "":
		p.Note(message, fields...)
	case kind == tracefmt.Send:
		p.Send(words["peer"], words["type"], inner...)
	case kind == tracefmt.Receive:
		p.ReceiveFrom(words["peer"], words["type"], inner...)
	default:
		p.record(kind, words["type"], words["peer"], inner)
	}
}
