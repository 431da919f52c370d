package tracedb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// headerSize is the size of the header of a SQLite database; the offsets below are from the SQLite file format,
// section 1.3.
const headerSize = 100

const sqliteMagic = "SQLite format 3\x00"

// fileKind is a kind of database that this package writes: traces, or results of a sweep.
type fileKind struct {
	id       uint32 // the SQLite application_id
	version  int32  // the SQLite user_version
	name     string // the name of the kind in errors: expected an etrace trace
	mismatch error  // the kind of the error for a file of another kind
}

var (
	traceKind   = fileKind{ApplicationID, schemaVersion, "an etrace trace", ErrNotTrace}
	resultsKind = fileKind{ResultsID, resultsVersion, "results of etrace sweep", errNotResults}
	fileKinds   = []fileKind{traceKind, resultsKind}
)

// signatures identify files that are often mistaken for traces.
var signatures = []struct{ magic, name string }{
	{"\x89PNG", "a PNG image"},
	{"%PDF", "a PDF document"},
	{"\x1f\x8b", "gzip data"},
	{"PK\x03\x04", "a zip archive"},
	{"{\"format\":\"etrace/", "the text form of a trace, which has to be imported"},
	{"{", "JSON text"},
	{"<", "XML or HTML text"},
}

// CheckFile examines a file without SQLite and without changing it. It returns why the file cannot be a trace,
// in one line. The file may be missing (fs.ErrNotExist), unreadable (fs.ErrPermission), a directory, empty, or
// something else ([ErrNotTrace]). Its schema version may be unknown ([errVersion]), or it may be cut
// ([ErrDamaged]).
func CheckFile(path string) error { return traceKind.check(path) }

// check is [CheckFile] for a kind of file.
func (k *fileKind) check(path string) error {
	err := k.checkFile(path)
	if errors.Is(err, ErrDamaged) {
		// A writer may have been between its first and its last page: check again, and let SQLite decide if
		// there is a journal.
		if unfinished(path) {
			return nil
		}
		err = k.checkFile(path)
	}
	return err
}

// checkFile is check without a second look at a file that is being written.
func (k *fileKind) checkFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return pathError(path, err)
	}
	switch {
	case info.IsDir() && holdsParquet(path):
		return Parquet(path)
	case info.IsDir():
		return &Error{Path: path, Text: "is a directory, expected " + k.name, Kind: k.mismatch}
	case !info.Mode().IsRegular():
		// Opening a pipe would wait for a writer.
		return &Error{Path: path, Text: "is not a regular file, expected " + k.name, Kind: k.mismatch}
	case info.Size() == 0:
		return &Error{Path: path, Text: "the file is empty, expected " + k.name, Kind: k.mismatch}
	}
	f, err := os.Open(path)
	if err != nil {
		return pathError(path, err)
	}
	defer f.Close()
	head := make([]byte, headerSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return pathError(path, err)
	}
	info, err = f.Stat()
	if err != nil { // after the header, so that a growing file never seems too short
		return pathError(path, err)
	}
	return k.checkHeader(path, head[:n], info.Size())
}

// checkHeader checks the first bytes of a file of the given size.
func (k *fileKind) checkHeader(path string, head []byte, size int64) error {
	magic := min(len(head), len(sqliteMagic))
	if bytes.HasPrefix(head, []byte(ParquetMagic)) {
		return Parquet(path)
	}
	if string(head[:magic]) != sqliteMagic[:magic] {
		return &Error{Path: path, Text: fmt.Sprintf("not a SQLite database but %s, expected %s", describeHead(head), k.name), Kind: k.mismatch}
	}
	if len(head) < headerSize {
		return &Error{Path: path, Text: fmt.Sprintf("the file ends after %d bytes, inside its header", len(head)), Kind: ErrDamaged}
	}
	field := func(offset int) uint32 { return binary.BigEndian.Uint32(head[offset:]) }
	if id := field(68); id != k.id {
		return &Error{Path: path, Text: k.describeOther(id), Kind: k.mismatch}
	}
	if v := int32(field(60)); v != k.version {
		return &Error{Path: path, Text: fmt.Sprintf("schema version %d, this etrace reads %d", v, k.version), Kind: errVersion}
	}
	pageSize := int64(binary.BigEndian.Uint16(head[16:]))
	if pageSize == 1 { // 65536 does not fit
		pageSize = 1 << 16
	}
	// The page count is valid only if it was written together with the change counter.
	pages, counter, validFor := int64(field(28)), field(24), field(92)
	if counter == validFor && pages*pageSize > size {
		return &Error{
			Path: path, Kind: ErrDamaged,
			Text: fmt.Sprintf("the file is cut short: %d bytes, expected %d pages of %d", size, pages, pageSize),
		}
	}
	return nil
}

// ParquetMagic is the beginning of a Parquet file.
const ParquetMagic = "PAR1"

// Parquet returns the error for a Parquet file or folder at path; its kind is [ErrParquet].
func Parquet(path string) error {
	text := "this is Parquet, expected a database or JSON Lines, as etrace-parquet cat writes them"
	return &Error{Path: path, Text: text, Kind: ErrParquet}
}

// holdsParquet reports whether a folder has Parquet files where etrace-parquet and Spark write them.
func holdsParquet(folder string) bool {
	return slices.ContainsFunc([]string{"*.parquet", "*/*.parquet", "*/*/*.parquet"}, func(pattern string) bool {
		files, _ := fs.Glob(os.DirFS(folder), pattern) // the error is for a wrong pattern
		return len(files) > 0
	})
}

// describeOther describes a database of another kind, by its application_id.
func (k *fileKind) describeOther(id uint32) string {
	for _, known := range fileKinds {
		if known.id == id {
			return fmt.Sprintf("the file holds %s, expected %s", known.name, k.name)
		}
	}
	return fmt.Sprintf("not %s: application id 0x%08X, expected 0x%08X", k.name, id, k.id)
}

// unfinished reports whether the file has a journal or a write-ahead log, so that only SQLite can determine its
// contents.
func unfinished(path string) bool {
	for _, suffix := range []string{"-journal", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

// describeHead describes a file by its first bytes.
func describeHead(head []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(head, []byte(s.magic)) {
			return s.name
		}
	}
	return fmt.Sprintf("a file that begins with %.24q", head)
}

// pathError shortens an error of package os or atomicfile to path and reason.
func pathError(path string, err error) error {
	reason := err
	var pe *fs.PathError
	var errno syscall.Errno
	switch {
	case errors.As(err, &pe):
		reason = pe.Err
	case errors.As(err, &errno):
		reason = errno
	}
	return &Error{Path: path, Text: reason.Error(), Kind: err}
}
