package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"

	"etrace/render"
	"etrace/tracefmt"
)

func main() {
	f, _ := os.Open(os.Args[1])
	d := tracefmt.NewDecoder(f)
	run, err := d.NextRun()
	if err != nil {
		panic(err)
	}
	m := tracefmt.NewMemory(*run)
	for {
		e, err := d.Next()
		if err != nil {
			if err.Error() != "EOF" {
				panic(err)
			}
			break
		}
		m.Write(e)
	}
	m.Finish(run.End)
	if err := tracefmt.Validate(m); err != nil {
		fmt.Fprintln(os.Stderr, "invalid:", err)
	}
	o := render.Options{Diagram: os.Args[2], Format: os.Args[3]}
	if len(os.Args) > 4 {
		a, _ := strconv.Atoi(os.Args[4])
		b, _ := strconv.Atoi(os.Args[5])
		o.From, o.To = tracefmt.Seq(a), tracefmt.Seq(b)
	}
	var out bytes.Buffer
	if err := render.Render(context.Background(), &out, m, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(out.Bytes())
}
