// Package parquetfile writes runs as Parquet, tables of events by columns, and reads them
// again as they were. Its columns are those of the view events, see [Columns]; what an event lacks is null.
// Rows are in the order of runs and seqs, in row groups that are packed by zstd; the descriptions
// of the runs are JSON in the footer, under the key etrace. A [Writer] writes one file, a
// [Folder] one for each run and each value of a column, in directories as Spark names them.
//
// parquet-go trusts the sizes that a file states, so all pages of a row group are measured before it is read.
package parquetfile
