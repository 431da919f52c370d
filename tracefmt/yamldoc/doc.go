// Package yamldoc reads YAML documents that people write, scenarios, suites and
// mappings of logs, so that each error names file, line and column and says what
// was expected. It bounds what a hostile document may ask of the YAML parser.
package yamldoc
