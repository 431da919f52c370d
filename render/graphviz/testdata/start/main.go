// Command start does nothing but link Graphviz, draw what standard input
// holds, if anything, and say where the temporary directory is. The tests run
// it in hostile surroundings.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"etrace/render/graphviz"
)

func main() {
	dot, err := io.ReadAll(os.Stdin)
	if err == nil && len(dot) > 0 {
		var svg []byte
		svg, err = graphviz.SVG(context.Background(), dot)
		if err == nil {
			fmt.Printf("%d bytes of SVG\n", len(svg))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("TMPDIR", os.TempDir())
}
