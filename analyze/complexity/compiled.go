package complexity

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// mostFormulas bounds how many formulas are kept: bounds come from traces.
const mostFormulas = 1024

// formulaCache keeps the formulas that were compiled: of one plan, thousands of runs may be
// examined, at once by several goroutines; an entry of a suite has a case for each value.
type formulaCache struct {
	mu       sync.Mutex
	compiled map[formulaKey]*Formula
}

// formulaKey is the text of a formula, and the names that it may use, with their types.
type formulaKey struct{ text, names string }

var formulas = formulaCache{compiled: map[formulaKey]*Formula{}}

// parse returns the formula for values of these names and types.
func (c *formulaCache) parse(text string, values map[string]any) (*Formula, error) {
	var names strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&names, "%s %T,", name, values[name])
	}
	key := formulaKey{text, names.String()}
	c.mu.Lock()
	f := c.compiled[key]
	c.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := ParseFormula(text, values)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.compiled) < mostFormulas {
		c.compiled[key] = f
	}
	return f, nil
}
