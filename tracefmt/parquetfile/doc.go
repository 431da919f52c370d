// Package parquetfile writes runs as Parquet, tables of events by columns, and reads them
// again as they were. Its columns are those of the view events, see [Columns]; what an event lacks is null.
// Rows are in the order of runs and seqs, in row groups that are packed by zstd; the descriptions
// of the runs are JSON in the footer, under the key etrace. A [Writer] writes one file, a
// [Folder] one for each run and each value of a column, in directories as Spark names them.
//
// It is the only package that imports parquet-go, which believes the sizes that a file gives:
// before a row group is read, all of its pages are measured here.
package parquetfile
