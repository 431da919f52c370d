package main

import (
	"context"
	"encoding/json"
	"syscall/js"
)

// main offers two functions to the page, and stays to serve them.
func main() {
	js.Global().Set("etraceAlgorithms", js.FuncOf(func(js.Value, []js.Value) any { return answer(algorithms(), nil) }))
	js.Global().Set("etraceSimulate", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return answer(simulate(context.Background(), args[0].String()))
	}))
	select {}
}

// answer is JSON: the result, or an object with the error.
func answer(result any, err error) string {
	if err != nil {
		result = map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(result)
	if err != nil {
		panic(err) // all these types can be written
	}
	return string(text)
}
