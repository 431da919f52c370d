package interop

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// A file can be read in slices by several processes, see [Slicer]. These read the lines with [ReadSlice], and write what
// each line means. An input of [NewSlicedInput] reads what they wrote.

// Slicer is a way to read logs of one execution in parts, and to join the parts. The joined parts give the same runs
// and the same report as [Import] of all files at once.
type Slicer struct {
	// Write reads a slice of the files, and writes its part. It does not read other slices, except the first 16 KiB of
	// a file.
	Write func(ctx context.Context, s *Slice, w io.Writer) error
	// Join returns the input of the parts, and the format that reads it. It fails unless the parts are all parts of one
	// import, each once.
	Join func(tool string, parts []PartFile) (*Joined, error)
	// JoinShares returns the input of shares, and the format that reads it. Its only sink is an [OrderSink].
	JoinShares func(*Shares) (*Joined, error)
}

// Slice is a slice of the files of an execution: part Index, from 0, of Count. All slices have about the same number of
// bytes. A line belongs to the slice in which it begins. A file that cannot be divided, as one in gzip, belongs to the
// slice in which it begins.
type Slice struct {
	Index, Count int
	Files        []SlicedFile
	// Piece has the lines of the slice, unless it is nil. Then there is one file, only its name is used, and the pieces one
	// after another are the file.
	Piece io.Reader
	Map   string // the mapping, as the option map names it
	Tool  string // the program and its version: others cannot join the parts
}

// SlicedFile is a file of a [Slice].
type SlicedFile struct {
	Name string
	Size int64
	Open func() (io.ReadSeekCloser, error)
}

// PartFile is a file with what a task has read of a slice.
type PartFile struct {
	Name string
	Open func() (io.ReadCloser, error)
}

// Joined are the joined parts of an import.
type Joined struct {
	Format Format
	Files  []string // the names of all files
	Inputs []*Input
	// Copies are the files that are not in the inputs, see [Settings.Copies]. Originals are the files with the same bytes.
	Copies, Originals []string
	io.Closer
}

// ReadSlice calls read with the lines of a slice of a file, which begin at byte from or later.
func ReadSlice(ctx context.Context, name string, r io.Reader, from int64, read func(*Reading) error) error {
	input := &Input{part: part{name: name, r: bufio.NewReaderSize(r, headSize)}, hasEarlierLines: from > 0}
	if from == 0 { // it may be gzip
		unpacked, err := NewInput(name, r)
		if err != nil {
			return err
		}
		input = unpacked
	}
	input.ctx = ctx
	input.read = []part{input.part}
	reading := &Reading{Input: input}
	err := read(reading)
	if reading.err != nil { // reading.err came first, and read may only have passed on a consequence
		err = reading.err
	}
	return err
}

// NewSlicedInput returns the input for a file that was read in slices. records is what [Reading.Records] returns for it.
func NewSlicedInput(name string, head []byte, records any) *Input {
	input := &Input{part: part{name: name, file: name, r: bufio.NewReader(strings.NewReader("")), first: head, records: records}}
	input.read = []part{input.part}
	return input
}

// LineAccount are facts about the lines of a file, or of a slice of it.
type LineAccount struct {
	// Lines is their number.
	Lines int `json:"lines"`
	// Replaced is true if some bytes were no UTF-8.
	Replaced bool `json:"replaced,omitempty"`
}

// Join adds the lines that follow.
func (a LineAccount) Join(next LineAccount) LineAccount {
	return LineAccount{a.Lines + next.Lines, a.Replaced || next.Replaced}
}

// LineAccount returns the account of the lines of the present file, which were read to the end.
func (input *Input) LineAccount() LineAccount {
	return LineAccount{input.ends - 1, input.replaced} // the line after the last was tried
}

// Records returns the records of the present file of a [NewSlicedInput].
func (r *Reading) Records() any { return r.records }

// Account declares the lines of the present file, whose records were read. It notes what [Reading.Lines] notes.
func (r *Reading) Account(a LineAccount) {
	r.ends = a.Lines + 1
	if a.Replaced {
		r.Note(noteReplaced)
	}
}

// CutOff declares that a line, the last of the present file, has no end, see [Input.Cut].
func (r *Reading) CutOff(line int) { r.cut = line }
