// Package brotli stands in for the module of that name, which parquet-go imports for one of
// its codecs and which links an HTTP server. No file of etrace is packed by it: what asks
// for it gets an error.
package brotli

import (
	"errors"
	"io"
)

var errNone = errors.New("brotli is not supported, expected zstd")

// WriterOptions are those of the module.
type WriterOptions struct{ Quality, LGWin int }

// Writer writes nothing.
type Writer struct{}

// NewWriterOptions returns a writer that writes nothing.
func NewWriterOptions(io.Writer, WriterOptions) *Writer { return new(Writer) }

// Write implements [io.Writer].
func (*Writer) Write([]byte) (int, error) { return 0, errNone }

// Reset does nothing.
func (*Writer) Reset(io.Writer) {}

// Close implements [io.Closer].
func (*Writer) Close() error { return errNone }

// Reader reads nothing.
type Reader struct{}

// NewReader returns a reader that reads nothing.
func NewReader(io.Reader) *Reader { return new(Reader) }

// Read implements [io.Reader].
func (*Reader) Read([]byte) (int, error) { return 0, errNone }

// Reset does nothing.
func (*Reader) Reset(io.Reader) error { return nil }
