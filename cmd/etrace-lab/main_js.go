package main

import (
	"context"
	"encoding/json"
	"strings"
	"syscall/js"

	"etrace/record/algorithm/builtin"
)

// main gives the page two functions, and then waits so that they can be called.
func main() {
	js.Global().Set("etraceAlgorithms", js.FuncOf(func(js.Value, []js.Value) any { return answer(algorithms(), nil) }))
	js.Global().Set("etraceSimulate", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return answer(simulate(context.Background(), args[0].String()))
	}))
	select {}
}

// answer returns the result as JSON, or an object with the error.
func answer(result any, err error) string {
	if err != nil {
		result = map[string]string{"error": err.Error()}
	}
	text, err := json.Marshal(result)
	if err != nil {
		panic(err) // JSON can express all these types
	}
	return string(text)
}

// algorithms returns the names of the algorithms, each with its description.
func algorithms() (list [][2]string) {
	for _, a := range builtin.Algorithms().All() {
		list = append(list, [2]string{a.Name, firstSentence(a.Doc)})
	}
	return list
}

// firstSentence returns the first sentence of a text, without its full stop.
func firstSentence(doc string) string {
	sentence, _, _ := strings.Cut(strings.ReplaceAll(doc, "\n", " "), ". ")
	return strings.TrimSuffix(sentence, ".")
}
