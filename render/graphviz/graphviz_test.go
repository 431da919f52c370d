package graphviz_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"etrace/render/graphviz"
)

func TestSVGKeepsPositions(t *testing.T) {
	svg, err := graphviz.SVG(context.Background(), []byte(`digraph g {
		graph [pad=0]
		node [shape=box width=1 height=0.5 fixedsize=true label=" "]
		a [pos="36,18"] b [pos="336,118"]
		a -> b [pos="e,300,118 36,36 36,60 200,118 292,118"]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`width="372pt" height="136pt"`, `points="72,-36 0,-36 0,0 72,0 72,-36"`,
		`d="M36,-36C36,-60 200,-118 292,-118"`,
	} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("missing %s in\n%s", want, svg)
		}
	}
}

func TestSVGRefuses(t *testing.T) {
	for name, c := range map[string]struct{ dot, want string }{
		"empty":        {"", "not understood"},
		"not DOT":      {"hello", "not understood"},
		"cut":          {`digraph g { a [label="`, "not understood"},
		"NUL":          {"digraph g { a\x00 }", "NUL"},
		"too large":    {strings.Repeat(" ", graphviz.MaxDOT+1), "draw a part"},
		"unclosed":     {`digraph g { a -> b `, "not understood"},
		"no positions": {`digraph g { a -> b }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := graphviz.SVG(context.Background(), []byte(c.dot))
			if c.want == "" {
				t.Logf("%v", err)
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %q", err, c.want)
			}
		})
	}
	if _, err := graphviz.SVG(context.Background(), []byte(tiny)); err != nil {
		t.Errorf("after the refusals a good graph fails: %v", err)
	}
}

func TestSVGHonoursContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := graphviz.SVG(ctx, []byte(tiny)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestSVGConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if _, err := graphviz.SVG(context.Background(), []byte(tiny)); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
}
