// Package scenario says in words what a simulation shall do: which algorithm,
// which processes, which of them fail when, how the network behaves. The same
// words are command-line flags, keys of a YAML file, and the JSON that a
// recorded run carries to be run again; one table, [Keys], serves all three.
//
// # Scenario keys are one table
//
// A row of scenario.Keys is a flag, a key of scenario files, a part of the JSON that the run carries, and a
// property of the JSON Schema (etrace explain scenario --schema). Files are read from the YAML syntax tree, not
// checked by the schema first: that gives every error its line, column and nearest name, which schema errors do
// not, and a test holds reader and schema together.
//
// # Elections compare process numbers
//
// The simulator numbers the processes from worst to best: by their ids, or by the attribute that the scenario
// chooses and then by their ids (scenario.Ranked). So one comparison serves all elections, and none knows of
// attributes. The kernel adds to each message the attributes of the processes that it names, and replay.Ranks
// finds the same order in the header of a run. A lie can change a field, not an attribute: each is that of the
// member.
package scenario
