// Command etrace-lab makes the laboratory: one HTML page that runs etrace's simulator and checker in the browser.
// The user chooses an algorithm, crashes processes, drops and delays messages by a click, and sees the run, its verdicts
// and its counts. The page needs no network and no server.
//
//	GOOS=js GOARCH=wasm go build -o etrace.wasm ./cmd/etrace-lab
//	go run ./cmd/etrace-lab etrace.wasm lab.html
//
// make lab does both.
package main
