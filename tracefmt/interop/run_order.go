package interop

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"

	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// The order of a run begins with a line, its head. Then come the events without their texts, in blocks, then orderEnd, and
// last its accountTail.

// orderFormat is the version of orders.
const orderFormat = "etrace.import-order/1"

// blockEvents is the number of events in each block but the last.
const blockEvents = 4096

// orderHead is the head of an order.
type orderHead struct {
	Format string `json:"format"`
	Tool   string `json:"tool"`
	// AtOnce is the reason why the files must be imported at once, or "". Then the order has no events.
	AtOnce string `json:"at_once,omitempty"`
}

// orderEnd has the blocks of an order, and the first and the last line of its run.
type orderEnd struct {
	Head   string   `json:"head"`   // the checksum of the head
	Shares []string `json:"shares"` // the sums of their accounts
	Files  []string `json:"files"`
	// Run is the first line of the run in JSON Lines.
	Run    json.RawMessage `json:"run"`
	End    tracefmt.End    `json:"end"`
	Events int64           `json:"events"`
	Blocks []orderBlock    `json:"blocks"`
}

// orderBlock is a block: its first byte, and its checksum.
type orderBlock struct {
	At  int64  `json:"at"`
	Sum uint32 `json:"sum"`
}

var orderMark = [8]byte([]byte("etrordr1"))

// OrderSink is a sink for an import of [Shares]. It writes the order of the run, by which [Order.WritePiece] writes the run.
type OrderSink struct {
	orderWriter
	shares *Shares
	tool   string
	atOnce string
}

// NewOrderSink returns a sink that writes to w.
func (s *Shares) NewOrderSink(tool string, w io.Writer) *OrderSink {
	o := &OrderSink{shares: s, tool: tool}
	o.w, o.fileOf = bufio.NewWriterSize(w, 1<<16), make(map[string]int)
	for i, file := range s.list[0].account.Files {
		o.fileOf[file.Name] = i + 1
		o.end.Files = append(o.end.Files, file.Name)
	}
	return o
}

// AtOnce returns the reason why the files must be imported at once, or "". Then the order has no events.
func (o *OrderSink) AtOnce() string { return o.atOnce }

// WriteAtOnce writes an order without events for shares of files that must be imported at once.
func (o *OrderSink) WriteAtOnce() error { return o.writeAtOnce(o.shares.AtOnce()) }

func (o *OrderSink) writeAtOnce(reason string) error {
	o.atOnce = reason
	line, err := sealed.Marshal(orderHead{Format: orderFormat, Tool: o.tool, AtOnce: reason})
	if err != nil {
		return err
	}
	_, err = o.w.Write(append(line, '\n'))
	return errors.Join(err, o.w.Flush())
}

// Begin implements [tracefmt.Sink].
func (o *OrderSink) Begin(run *tracefmt.Run) error {
	if o.end.Head != "" {
		return errors.New("the shares have several runs, expected one")
	}
	var first bytes.Buffer
	enc := tracefmt.NewEncoder(&first)
	if err := errors.Join(enc.Begin(run), enc.Finish(tracefmt.Open)); err != nil {
		return err
	}
	head := orderHead{Format: orderFormat, Tool: o.tool}
	o.end.Shares, o.end.Run = o.shares.sums(), bytes.TrimSpace(first.Bytes())
	line, err := sealed.Marshal(head)
	if err != nil {
		return err
	}
	o.end.Head, err = sealed.Sum(head)
	return errors.Join(err, o.write(append(line, '\n')))
}

// Write implements [tracefmt.Sink]. The order has the event already.
func (o *OrderSink) Write(*tracefmt.Event) error { return o.err }

// Finish implements [tracefmt.Sink].
func (o *OrderSink) Finish(end tracefmt.End) error {
	if len(o.block) > 0 {
		o.closeBlock()
	}
	o.end.End = end
	line, err := sealed.Marshal(&o.end)
	if err != nil {
		return err
	}
	return errors.Join(o.err, o.write(withTail(line, o.at, orderMark)), o.w.Flush())
}

// orderWriter writes the events of an order. Its first error stays.
type orderWriter struct {
	w      *bufio.Writer
	at     int64
	end    orderEnd
	block  []byte
	time   tracefmt.Time
	fileOf map[string]int // the numbers of the names of files, from 1
	err    error
}

func (w *orderWriter) write(b []byte) error {
	w.at += int64(len(b))
	_, err := w.w.Write(b)
	return err
}

func (w *orderWriter) closeBlock() {
	w.end.Blocks = append(w.end.Blocks, orderBlock{w.at, crc32.Checksum(w.block, castagnoli)})
	w.err = cmp.Or(w.err, w.write(w.block))
	w.block, w.time = w.block[:0], 0
}

// sharesMustNot reports whether the import is of shares whose files must be read at once.
func (r *Reading) sharesMustNot() bool {
	o, ok := r.sink.(*OrderSink)
	if ok {
		r.atOnce = cmp.Or(r.atOnce, o.shares.atOnce)
		for _, b := range r.builders {
			b.checkShared()
		}
	}
	return ok && r.atOnce != ""
}

// order returns the writer of the order, nil if the import writes a run.
func (r *Reading) order() *orderWriter {
	if o, ok := r.sink.(*OrderSink); ok {
		return &o.orderWriter
	}
	return nil
}

// The flags of an event in an order, above the five bits of its kind.
const (
	orderInShare = 1 << (5 + iota) // its texts are in a share
	orderPlaced
	orderHalf
	orderGuessed
	orderHasClock
	orderHasCauses
)

// add adds an event. It sets a type and an empty payload, with which the event can be checked: the texts are not read.
func (w *orderWriter) add(b *Builder, e *event, out *tracefmt.Event, causes []tracefmt.Seq) {
	from, texts := b.source(e), b.words.At(e.words)
	flags := uint64(e.kind)
	inShare := len(texts) > 0 && texts[0] == textsInShare
	for _, f := range [...]struct {
		set  bool
		flag uint64
	}{
		{inShare, orderInShare},
		{from.placed, orderPlaced},
		{from.half, orderHalf},
		{from.guessed, orderGuessed},
		{from.clock != nil, orderHasClock},
		{len(causes) > 0, orderHasCauses},
	} {
		if f.set {
			flags |= f.flag
		}
	}
	block := binary.AppendUvarint(w.block, flags)
	typ := ""
	if inShare {
		at := parseSharedTexts(texts[1:])
		block = binary.AppendUvarint(block, uint64(at.share))
		block = binary.AppendUvarint(block, uint64(at.at))
		block = binary.AppendUvarint(block, uint64(at.length))
		block = binary.LittleEndian.AppendUint32(block, at.sum)
		typ = b.typeOf(e)
	} else {
		texts = texts[min(1, len(texts)):]
		block = appendPart(block, texts)
		typ = parseWords(texts).typ
	}
	for _, n := range [...]int64{
		int64(out.Process), int64(out.Peer), int64(out.Message), int64(out.Cause), out.Lamport,
		int64(w.fileOf[from.origin.File]), from.origin.Line,
	} {
		block = binary.AppendUvarint(block, uint64(n))
	}
	block = binary.AppendVarint(block, int64(out.Time-w.time))
	block = binary.AppendVarint(block, out.Term)
	if from.clock != nil {
		block = appendPart(block, from.clock)
	}
	if len(causes) > 0 {
		block = binary.AppendUvarint(block, uint64(len(causes)))
		for _, cause := range causes {
			block = binary.AppendUvarint(block, uint64(cause))
		}
	}
	w.block, w.time = block, out.Time
	w.end.Events++
	if w.end.Events%blockEvents == 0 {
		w.closeBlock()
	}
	if typ != "" {
		out.Type = typ
	}
	out.Payload = emptyPayload
}

var emptyPayload = []byte("{}")

// Order is the order of a run, which [OrderSink] has written.
type Order struct {
	file ShareFile
	head orderHead
	end  orderEnd
	from int64 // where end begins
}

// OpenOrder opens an order.
func OpenOrder(tool string, file ShareFile) (*Order, error) {
	o, err := openOrder(tool, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text.Printable(file.Name), err)
	}
	return o, nil
}

func openOrder(tool string, file ShareFile) (*Order, error) {
	// An order without a run has only a head. The tail has the places of all else.
	o := &Order{file: file}
	line, err := bufio.NewReaderSize(io.NewSectionReader(file, 0, file.Size), 1<<16).ReadBytes('\n')
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !bytes.HasPrefix(line, []byte(`{"format":"`+orderFormat+`"`)) || err == io.EOF {
		return nil, errors.New("expected an order that etrace import --order has written")
	}
	if err := sealed.Unmarshal(line, &o.head); err != nil {
		return nil, err
	}
	if o.head.Tool != tool {
		return nil, fmt.Errorf("an order of %s, and this is %s; expected the same", text.Printable(o.head.Tool), tool)
	}
	if o.head.AtOnce != "" {
		return nil, fmt.Errorf("%s: the files must be imported at once", o.head.AtOnce)
	}
	o.from, err = readAccount(file, int64(len(line)), orderMark, &o.end, "order")
	if err != nil {
		return nil, err
	}
	if sum, err := sealed.Sum(o.head); err != nil || sum != o.end.Head {
		return nil, errors.Join(err, errChangedOrder)
	}
	return o, nil
}

var errChangedOrder = errors.New("the order was changed")

// WritePiece writes piece i of n of the run to w, as JSON Lines. The pieces one after another are the run. The shares are
// those of the order.
func (o *Order) WritePiece(s *Shares, i, n int, w io.Writer) error {
	if err := o.hasShares(s); err != nil {
		return err
	}
	p := &pieceWriter{order: o, shares: s.list, out: bufio.NewWriterSize(w, 1<<16)}
	blocks := o.end.Blocks
	first, last := piece(len(blocks), i, n), piece(len(blocks), i+1, n)
	if i == 0 {
		if _, err := p.out.Write(append(bytes.Clone(o.end.Run), '\n')); err != nil {
			return err
		}
	}
	if err := p.begin(first); err != nil {
		return err
	}
	for number := first; number < last; number++ {
		if err := p.block(number); err != nil {
			return err
		}
	}
	if i == n-1 {
		trailer, err := tracefmt.SliceTrailer(o.end.End, o.end.Events, nil)
		if _, failed := p.out.Write(trailer); err != nil || failed != nil {
			return errors.Join(err, failed)
		}
	}
	return p.out.Flush()
}

// piece returns the first block of piece i, if blocks are divided into n pieces.
func piece(blocks, i, n int) int {
	high, low := bits.Mul64(uint64(blocks), uint64(i))
	quotient, _ := bits.Div64(high, low, uint64(n))
	return int(quotient)
}

// hasShares returns an error unless the shares are those of the order.
func (o *Order) hasShares(s *Shares) error {
	for i, share := range s.list {
		if i >= len(o.end.Shares) || hex.EncodeToString(share.tail.Sum[:]) != o.end.Shares[i] {
			return fmt.Errorf("%s: another share than the order has, expected those by which it was made", share.file.Name)
		}
	}
	if len(s.list) != len(o.end.Shares) {
		return fmt.Errorf("%d shares, expected the %d of the order", len(s.list), len(o.end.Shares))
	}
	return nil
}

// pieceWriter writes a piece of a run.
type pieceWriter struct {
	order  *Order
	shares []*openShare
	out    *bufio.Writer
	enc    *tracefmt.Encoder
	valid  *tracefmt.Validator
	seq    tracefmt.Seq
}

// begin prepares the lines of events from a block on.
func (p *pieceWriter) begin(block int) error {
	run, err := tracefmt.NewDecoder(bytes.NewReader(append(bytes.Clone(p.order.end.Run), '\n'))).NextRun()
	if err != nil {
		return fmt.Errorf("%s: %w", p.order.file.Name, err)
	}
	p.enc = tracefmt.NewEncoder(io.Discard)
	if err := p.enc.Begin(run); err != nil {
		return err
	}
	slice := *run
	slice.Slice = true // the order was checked when it was written
	p.valid, p.seq = tracefmt.NewValidator(&slice), tracefmt.Seq(block)*blockEvents
	return nil
}

// block writes the events of a block.
func (p *pieceWriter) block(number int) error {
	blocks := p.order.end.Blocks
	at, end := blocks[number].At, p.order.from
	if number+1 < len(blocks) {
		end = blocks[number+1].At
	}
	if at < 0 || end < at || end > p.order.from {
		return fmt.Errorf("%s: %w", p.order.file.Name, errChangedOrder)
	}
	data := make([]byte, end-at)
	if _, err := p.order.file.ReadAt(data, at); err != nil {
		return fmt.Errorf("%s: %w", p.order.file.Name, err)
	}
	if crc32.Checksum(data, castagnoli) != blocks[number].Sum {
		return fmt.Errorf("%s: %w", p.order.file.Name, errChangedOrder)
	}
	// The order of the fields is that of orderWriter.add.
	r := &orderReader{data: data}
	var payload []byte
	for len(r.data) > 0 {
		var e tracefmt.Event
		p.seq++
		e.Seq = p.seq
		flags := r.number()
		e.Kind = tracefmt.Kind(flags & rowKindBits)
		texts, err := p.texts(r, flags)
		if err != nil {
			return err
		}
		w := parseWords(texts)
		e.Type, e.Process, e.Peer = w.typ, tracefmt.ProcessID(r.number()), tracefmt.ProcessID(r.number())
		e.Message, e.Cause, e.Lamport = tracefmt.MessageID(r.number()), tracefmt.Seq(r.number()), int64(r.number())
		from := source{placed: flags&orderPlaced != 0, half: flags&orderHalf != 0, guessed: flags&orderGuessed != 0}
		file := int(r.number())
		from.origin.Line = int64(r.number())
		if files := p.order.end.Files; 0 < file && file <= len(files) {
			from.origin.File = files[file-1]
		}
		r.time += r.signed()
		e.Time, e.Term = tracefmt.Time(r.time), r.signed()
		if flags&orderHasClock != 0 {
			from.clock = r.part()
		}
		var causes []tracefmt.Seq
		if flags&orderHasCauses != 0 {
			for range r.number() {
				if r.failed {
					break
				}
				causes = append(causes, tracefmt.Seq(r.number()))
			}
		}
		if r.failed || !e.Kind.Valid() {
			return fmt.Errorf("%s: %w", p.order.file.Name, errChangedOrder)
		}
		payload = appendPayload(payload[:0], &w, causes, &from)
		e.Payload = payloadOf(payload, e.Kind)
		if err := p.valid.Check(&e); err != nil {
			return err
		}
		line, err := p.enc.Line(&e)
		if err != nil {
			return err
		}
		if _, err := p.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// texts returns the texts of the next event.
func (p *pieceWriter) texts(r *orderReader, flags uint64) ([]byte, error) {
	if flags&orderInShare == 0 {
		return r.part(), nil
	}
	share, at, length := int(r.number()), int64(r.number()), int(r.number())
	sum := r.sum()
	if r.failed || share < 0 || share >= len(p.shares) {
		return nil, fmt.Errorf("%s: %w", p.order.file.Name, errChangedOrder)
	}
	return p.shares[share].read(at, length, sum)
}

// orderReader reads the events of a block.
type orderReader struct {
	data   []byte
	time   int64
	failed bool
}

func (r *orderReader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	r.skip(size)
	return n
}

func (r *orderReader) signed() int64 {
	n, size := binary.Varint(r.data)
	r.skip(size)
	return n
}

func (r *orderReader) skip(size int) {
	if size <= 0 || size > len(r.data) {
		r.failed, r.data = true, nil
		return
	}
	r.data = r.data[size:]
}

func (r *orderReader) part() []byte {
	n := r.number()
	if n > uint64(len(r.data)) {
		r.failed, r.data = true, nil
		return nil
	}
	part := r.data[:n:n]
	r.data = r.data[n:]
	return part
}

func (r *orderReader) sum() (sum uint32) {
	if len(r.data) < 4 {
		r.failed, r.data = true, nil
		return 0
	}
	sum = binary.LittleEndian.Uint32(r.data)
	r.data = r.data[4:]
	return sum
}
