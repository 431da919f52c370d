package formats

import (
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/history"
	"etrace/tracefmt/interop/logs"
	"etrace/tracefmt/interop/maelstrom"
	"etrace/tracefmt/interop/modelcheck"
	"etrace/tracefmt/interop/perfetto"
	"etrace/tracefmt/interop/pgo"
	"etrace/tracefmt/interop/ptrace"
	"etrace/tracefmt/interop/shiviz"
	"etrace/tracefmt/interop/spans"
)

// Builtin returns the formats that etrace knows. A program that knows more
// passes Builtin().With(more...) to what takes a registry.
func Builtin() interop.Registry {
	return interop.NewRegistry(
		history.EDN, history.Text, jsonl, maelstrom.Format, logs.Format,
		modelcheck.ITF, modelcheck.TLC, perfetto.Format, pgo.Format, ptrace.Format, shiviz.Format,
		recorders, spans.Chrome, spans.Jaeger, spans.OTLP, table, tla,
	)
}
