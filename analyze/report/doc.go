// Package report writes the outcome of a check, one format a file.
package report
