// Command etrace-parquet writes runs of etrace as Parquet, tables of events by columns, and reads them again. See
// README.md, or etrace-parquet --help.
package main
