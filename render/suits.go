package render

import "etrace/tracefmt"

// Suits returns the name of the diagram that shows a witness best in a format: a history if all of its events are of operations.
func Suits(rec tracefmt.Recording, witness []tracefmt.Seq, format string, formats Registry) (string, error) {
	if f, err := formats.Lookup(format); err != nil || f.notation {
		return defaultDiagram, err
	}
	for _, seq := range witness {
		for e, err := range rec.Events(seq) {
			if err != nil {
				return "", err
			}
			if e.Kind != tracefmt.Invoke && e.Kind != tracefmt.Return {
				return defaultDiagram, nil
			}
			break
		}
	}
	if len(witness) == 0 {
		return defaultDiagram, nil
	}
	return "history", nil
}
