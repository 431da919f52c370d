package interop

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"etrace/tracefmt/sealed"
)

// accountTail is the end of an order or a match: where its account begins, and the checksum of the account. It comes last,
// so that a file that is cut off is noticed.
type accountTail struct {
	Account int64
	Sum     uint32
	Mark    [8]byte
}

// withTail returns an account that begins at a place of the file, with its tail.
func withTail(account []byte, at int64, mark [8]byte) []byte {
	tail := accountTail{Account: at, Sum: crc32.Checksum(account, castagnoli), Mark: mark}
	account, _ = binary.Append(account, binary.LittleEndian, &tail) // the size of the tail is fixed
	return account
}

// readAccount reads the account of a file, which begins at or after first, and returns where it begins. It fails if the
// file was cut off or changed; kind names the kind of file in the error.
func readAccount(file ShareFile, first int64, mark [8]byte, account any, kind string) (at int64, err error) {
	var tail accountTail
	size := int64(binary.Size(tail))
	if file.Size < size {
		return 0, fmt.Errorf("the %s is cut off, expected it whole", kind)
	}
	err = binary.Read(io.NewSectionReader(file, file.Size-size, size), binary.LittleEndian, &tail)
	if err != nil {
		return 0, err
	}
	// A tail that names a place outside the file belongs to another, longer file.
	if tail.Mark != mark || tail.Account < first || tail.Account > file.Size-size {
		return 0, fmt.Errorf("the %s is cut off, expected it whole", kind)
	}
	line := make([]byte, file.Size-size-tail.Account)
	if _, err := file.ReadAt(line, tail.Account); err != nil {
		return 0, err
	}
	if crc32.Checksum(line, castagnoli) != tail.Sum {
		return 0, fmt.Errorf("the %s was changed", kind)
	}
	return tail.Account, sealed.Unmarshal(line, account)
}
