package graphviz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	graphviz "github.com/goccy/go-graphviz"

	"etrace/render/graphviz/privatetmp"
	"etrace/render/graphviz/standin"
)

// init runs after that of go-graphviz. In a process that was started to draw, it draws and does not return.
func init() {
	privatetmp.Restore()
	if standin.Draws() {
		serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// The limits of one drawing, in bytes. Graphviz needs some 20 bytes of memory for each byte of DOT, within the 4 GiB
// that WebAssembly can address.
const (
	MaxDOT = 32 << 20
	maxSVG = 256 << 20
)

// turn admits one drawing at a time: the module has one memory and no locks.
var turn = make(chan struct{}, 1)

// drawer is the process that draws, nil before the first drawing and after a failure. Guarded by turn.
var drawer *process

// Fits returns an error if a drawing of that many bytes of DOT, in one or several graphs, is too
// large.
func Fits(size int) error {
	if size > MaxDOT {
		return fmt.Errorf("graphviz: the drawing has %d MB of DOT text, at most %d MB can be drawn: draw a part of the run", size>>20, MaxDOT>>20)
	}
	return nil
}

// SVG draws the graph with the layout NOP2: every node and edge stays at its pos attribute. It waits while
// another drawing is made. Any failure is an error, never a panic.
//
// Another process of this program draws: it is started for the first drawing and ends with this process. It runs the
// inits of packages up to this one, nothing of main.
func SVG(ctx context.Context, dot []byte) ([]byte, error) {
	if err := Fits(len(dot)); err != nil {
		return nil, err
	}
	if bytes.IndexByte(dot, 0) >= 0 {
		return nil, errors.New("graphviz: the DOT text holds a NUL byte")
	}
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	svg, err := ask(ctx, dot)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("graphviz: %w", err)
	}
	return svg, nil
}

// ask lets the drawer draw. It starts a drawer if needed, also after the system killed the last drawer, for
// instance when memory is short. If a drawer fails before it is ready, it may have failed to read its cache:
// then another drawer draws without the cache.
func ask(ctx context.Context, dot []byte) ([]byte, error) {
	svg, err := askOnce(ctx, dot, standin.Drawer)
	if errors.Is(err, errGone) && ctx.Err() == nil {
		svg, err = askOnce(ctx, dot, standin.Drawer)
	}
	if errors.Is(err, errNotReady) && ctx.Err() == nil {
		svg, err = askOnce(ctx, dot, standin.Drawer, standin.NoCache)
	}
	return svg, err
}

// askOnce draws with the running drawer, or starts one with the arguments. It ends a drawer that has
// failed, and ends it when ctx is done.
func askOnce(ctx context.Context, dot []byte, args ...string) (svg []byte, err error) {
	first := drawer == nil
	if first {
		drawer, err = startProcess(args...)
		if err != nil {
			return nil, err
		}
	}
	cancelKill := context.AfterFunc(ctx, drawer.kill)
	if first {
		err = drawer.awaitReady()
	}
	var reply answer
	if err == nil {
		reply, err = drawer.draw(dot)
	}
	if killed := !cancelKill(); killed || err != nil {
		err = drawer.end(err)
		drawer = nil
		return nil, err
	}
	svg, err = reply.result()
	if err != nil {
		_ = drawer.end(err) // it ends by itself
		drawer = nil
	}
	return svg, err
}

// draw runs the module. A panic of it ends the process: it may have left the memory of the module in disorder.
func draw(dot []byte) (svg []byte, err error) {
	ctx := context.Background()
	gv, err := graphviz.New(ctx)
	if err != nil {
		return nil, err
	}
	// The error of Close is ignored: it counts the failures since the module was loaded, also those of other
	// drawings.
	defer gv.Close()
	graph, err := graphviz.ParseBytes(dot)
	if err != nil || graph == nil {
		return nil, notUnderstood(err)
	}
	defer graph.Close()
	var out bytes.Buffer
	if err := gv.SetLayout(graphviz.NOP2).Render(ctx, graph, graphviz.SVG, &out); err != nil {
		return nil, err
	}
	if err := check(out.Bytes()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// notUnderstood returns Graphviz's message about a syntax error. The message may repeat earlier
// errors.
func notUnderstood(err error) error {
	const text = "the DOT text is not understood"
	if err == nil || !strings.HasPrefix(err.Error(), "syntax error") {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %s", text, strings.TrimSpace(err.Error()))
}

// check returns an error if Graphviz has drawn nothing: Graphviz itself reports few failures.
func check(svg []byte) error {
	switch {
	case len(svg) == 0:
		return errors.New("nothing was drawn")
	case len(svg) > maxSVG:
		return fmt.Errorf("the drawing is larger than %d MB", maxSVG>>20)
	case !bytes.HasPrefix(svg, []byte("<?xml")) || !bytes.Contains(svg[:min(len(svg), 2048)], []byte("<svg ")):
		return errors.New("what was drawn is not an SVG")
	case !bytes.HasSuffix(bytes.TrimSpace(svg), []byte("</svg>")):
		return errors.New("the drawing is not complete")
	}
	return nil
}
