// Package planned reads from the scenario of a run what was planned for it: who
// starts, and what disturbs. It reads the words and knows nothing of what they do.
package planned
