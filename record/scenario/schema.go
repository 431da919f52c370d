package scenario

import (
	"bytes"

	"etrace/tracefmt"
)

// Schema returns the JSON Schema of scenario files, for editors. It is generated from [Keys].
func Schema() []byte {
	scalar := map[string]any{"type": []string{"string", "number", "boolean"}}
	properties := map[string]any{
		paramsKey: map[string]any{
			"description": "parameters of the algorithm by name", "type": "object", "additionalProperties": scalar,
		},
	}
	for _, k := range Keys {
		p := map[string]any{"description": k.Doc, "type": scalar["type"]}
		if k.Repeat {
			p = map[string]any{"description": k.Doc, "anyOf": []any{scalar, map[string]any{"type": "array", "items": scalar}}}
		}
		properties[k.Name] = p
	}
	var b bytes.Buffer
	err := tracefmt.WriteJSON(&b, map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "etrace scenario",
		"type": "object", "additionalProperties": false, "properties": properties,
	})
	if err != nil {
		panic(err) // unreachable: maps of strings can be encoded
	}
	return b.Bytes()
}
