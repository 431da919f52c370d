// Package scenario describes a simulation in words: the algorithm, the processes, their failures, and the
// behaviour of the network. The same words are command-line flags, keys of a YAML file, and the JSON that a
// recorded run carries so that it can be run again. One table, [Keys], serves all three.
//
// # Scenario keys are one table
//
// A row of scenario.Keys is a flag and a key of scenario files. It is also a part of the JSON in a run, and a
// property of the JSON Schema (etrace explain scenario --schema). Files are read from the YAML syntax tree,
// without a check by the schema first. So every error has its line, column and nearest name, which schema
// errors lack. A test holds reader and schema together.
//
// # Elections compare process numbers
//
// The simulator numbers the processes from worst to best: by the attribute of the scenario, if it has one,
// then by their ids (scenario.Ranked). So one comparison serves all elections, and no algorithm depends on
// attributes. The kernel adds to each message the attributes of the processes in it, and replay.Ranks finds
// the same order in the header of a run. A lie can change a field, not an attribute: attributes are always
// those of the members.
package scenario
