// Package parquetfile writes runs as Parquet, tables of events by columns, and reads them again without loss. The columns
// are those of the view events, see [Columns]; a missing value is null. Rows are in the order of run and seq, in row groups
// packed by zstd. The footer has the headers of the runs as JSON, under the key etrace. A [Writer] writes one file; a
// [Folder] writes one file for each run and each value of a column, in directories with the names that Spark uses.
//
// parquet-go trusts the sizes that a file states, so this package checks all pages of a row group before it reads the group.
package parquetfile
