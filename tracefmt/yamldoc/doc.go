// Package yamldoc reads YAML documents that people write, such as scenarios, suites and mappings of logs. Each
// error has file, line and column, and states what was expected. It limits the resources that a hostile
// document can take from the YAML parser.
package yamldoc
