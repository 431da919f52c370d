package atomicfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// sumWords begin the comment in the last line of a file that people may edit. The checksum of all bytes before
// this line follows, so that the next command detects changes.
const sumWords = "Sum by etrace: "

// sumLine returns the last line of a file whose other bytes have the sum.
func (c comment) sumLine(sum string) string { return c.begin + sumWords + sum + c.end + "\n" }

// addSum adds the sum of a new file at its end, where the format of the file has comments.
func addSum(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	head, tail, err := endsOf(f)
	if err != nil {
		return err
	}
	m := markOf(head, tail)
	if m == nil || m.comment == (comment{}) {
		return nil
	}
	size := info.Size()
	if !bytes.HasSuffix(tail, []byte("\n")) {
		if _, err := f.WriteAt([]byte("\n"), size); err != nil {
			return err
		}
		size++
	}
	sum, err := sumOf(f, size)
	if err == nil {
		_, err = f.WriteAt([]byte(m.comment.sumLine(sum)), size)
	}
	return err
}

// checkSum compares a file with its checksum, which is in a comment. It returns owned, changed, or unsummed.
func checkSum(path string, c comment) kind {
	f, err := os.Open(path)
	if err != nil {
		return unsummed
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return unsummed
	}
	_, tail, err := endsOf(f)
	if err != nil || !bytes.Contains(tail, []byte(sumWords)) {
		return unsummed
	}
	line := bytes.LastIndexByte(tail[:len(tail)-1], '\n') + 1
	content := info.Size() - int64(len(tail)-line) // the file without the line of the checksum
	if sum, err := sumOf(f, content); err != nil || string(tail[line:]) != c.sumLine(sum) {
		return changed
	}
	return owned
}

// sumOf returns the sum of the first bytes of a file.
func sumOf(f io.ReaderAt, size int64) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, io.NewSectionReader(f, 0, size))
	return hex.EncodeToString(h.Sum(nil)[:8]), err
}
