package tracedb

import (
	"database/sql/driver"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"math/bits"
	"slices"

	"etrace/tracefmt"
)

// SQLite's pages have no checksums, so a flipped bit in a number or a payload would stay undetected. Therefore
// each run has two sums: head_sum of its description, and event_sum of its events and type names. They detect
// accidents, and do not protect against forgery.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// eventSum is the running sum over the events of a run, in order.
type eventSum struct {
	numbers         uint64
	payloads, types uint32
}

// add adds the numbers of one event and the length of its stored payload, -1 for none. Odd factors make each
// step a bijection in every number, so a single change is always detected. The products are independent of each
// other, which keeps the sum fast.
func (s *eventSum) add(v *[columns]int64, length int) {
	x := uint64(v[colTime])*0x9e3779b97f4a7c15 +
		uint64(v[colWho])*0xbf58476d1ce4e5b9 +
		uint64(v[colMessage])*0x94d049bb133111eb +
		uint64(v[colCause])*0xd6e8feb86659fd93 +
		uint64(v[colLamport])*0xa0761d6478bd642f +
		uint64(v[colTerm])*0xe7037ed1a0b428db +
		uint64(length+1)*0x8ebc6af09c88c6e3
	s.numbers = (bits.RotateLeft64(s.numbers, 27) ^ x) * 0x589965cc75374cc3
}

// addPayloads adds the bytes of the payloads of any number of events.
func (s *eventSum) addPayloads(b []byte) { s.payloads = crc32.Update(s.payloads, castagnoli, b) }

// addType adds the next name in the dictionary of types.
func (s *eventSum) addType(name string) {
	s.types = crc32.Update(s.types, castagnoli, appendText(nil, name))
}

// value returns the value of run.event_sum.
func (s *eventSum) value() int64 {
	return int64(s.numbers ^ (uint64(s.payloads)<<32 | uint64(s.types)))
}

// descriptionSum returns the checksum of the description at the beginning of a run. It omits number and base, which
// change when a run moves to another file.
func descriptionSum(run *tracefmt.Run) uint32 {
	var b []byte
	for _, s := range [...]string{run.Name, run.Algorithm, run.Problem, run.Source, string(run.TimeUnit), run.StartedAt, run.Tool} {
		b = appendText(b, s)
	}
	b = appendJSON(b, run.Scenario)
	if run.Seed != nil {
		b = binary.AppendVarint(append(b, 1), *run.Seed)
	}
	sum := crc32.Checksum(b, castagnoli)
	for _, m := range run.Members {
		b = appendText(b[:0], m.Name)
		b = binary.AppendVarint(b, int64(m.Position))
		b = appendJSON(b, m.Attributes)
		sum = crc32.Update(sum, castagnoli, b)
	}
	return crc32.Update(sum, castagnoli, appendStated(b[:0], run))
}

// appendConvention appends the fields that bounds of former versions lack.
func appendConvention(b []byte, d *tracefmt.Bound) []byte {
	if d.Kind != "" {
		b = appendText(append(b, 'k'), d.Kind)
	}
	for _, t := range d.Without {
		b = appendText(append(b, 'w'), t)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Given)) {
		b = binary.AppendVarint(appendText(append(b, 'v'), name), d.Given[name])
	}
	return b
}

// appendStated appends the statements of a run; it appends nothing for a run of former versions.
func appendStated(b []byte, run *tracefmt.Run) []byte {
	// The letters keep lists apart: without them, moving a word from one list to the next would leave the sum
	// unchanged.
	for _, t := range run.Traits {
		b = appendText(append(b, 't'), t)
	}
	for _, key := range run.Best {
		b = appendText(append(b, 'g'), key)
	}
	for _, path := range run.Counters {
		b = appendText(append(b, 'c'), path)
	}
	for _, typ := range run.Basic {
		b = appendText(append(b, 'm'), typ)
	}
	for _, typ := range run.Token {
		b = appendText(append(b, 'o'), typ)
	}
	for _, d := range run.Bounds {
		b = append(b, 'b')
		for _, s := range [...]string{d.Messages, d.If, d.Counts, d.Delays, d.Source} {
			b = appendText(b, s)
		}
		b = appendConvention(b, &d)
	}
	for _, rule := range slices.Sorted(maps.Keys(run.Repaired)) {
		b = binary.AppendVarint(appendText(append(b, 'f'), rule), run.Repaired[rule])
	}
	if run.Completeness != nil {
		b = appendLevels(append(b, 'r'), run.Completeness.Levels)
		for _, name := range slices.Sorted(maps.Keys(run.Completeness.Processes)) {
			b = appendLevels(appendText(append(b, 'p'), name), run.Completeness.Processes[name])
		}
		b = appendGaps(b, 'h', run.Completeness.Gaps)
		b = appendGaps(b, 'y', run.Completeness.Suspected)
		if n := run.Completeness.Unplaced; n > 0 {
			b = binary.AppendVarint(append(b, 'u'), n)
		}
		for _, name := range slices.Sorted(maps.Keys(run.Completeness.NotUnderstood)) {
			b = binary.AppendVarint(appendText(append(b, 'n'), name), run.Completeness.NotUnderstood[name])
		}
		if c := run.Completeness.Clocks; c != nil {
			b = binary.AppendVarint(append(b, 'x'), int64(c.Skew))
			for _, group := range c.Shared {
				b = binary.AppendVarint(b, int64(len(group)))
				for _, name := range group {
					b = appendText(b, name)
				}
			}
		}
	}
	return b
}

// appendGaps appends gaps, each after a letter.
func appendGaps(b []byte, letter byte, gaps []tracefmt.Gap) []byte {
	for _, g := range gaps {
		b = appendText(append(b, letter), g.Process)
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, int64(g.From)), int64(g.To)), g.Dropped)
	}
	return b
}

// appendLevels appends the declared levels of a run or of a process.
func appendLevels(b []byte, t tracefmt.Levels) []byte {
	b = append(b, byte(t.Default))
	for _, key := range slices.Sorted(maps.Keys(t.Kinds)) {
		b = append(appendText(append(b, 'k'), key), byte(t.Kinds[key]))
	}
	return b
}

// headSum returns the value of run.head_sum: the sum of the description, and of the parts of the row that
// change while the run grows.
func headSum(description uint32, end tracefmt.End, events, widths, eventSum int64) int64 {
	b := appendText(nil, string(end))
	b = binary.AppendVarint(b, events)
	b = binary.AppendVarint(b, widths)
	b = binary.AppendVarint(b, eventSum)
	return int64(crc32.Update(description, castagnoli, b))
}

// appendText appends the string such that different lists of strings have different encodings.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendJSON appends JSON such that nil and an empty text differ.
func appendJSON(b, json []byte) []byte {
	if json == nil {
		return append(b, 0)
	}
	return appendText(append(b, 1), string(json))
}

// Repetition is a run that equals an earlier run of the file: by their sums, descriptions and events are equal.
type Repetition struct{ Run, Of int }

// Repetitions returns the repetitions among the runs from the given number, in order. It ignores runs without
// events.
func (db *DB) Repetitions(from int) (list []Repetition, err error) {
	type sums struct{ head, events driver.Value }
	first := make(map[sums]int)
	err = db.snapshot(func(c *conn) error {
		return c.each("SELECT run, head_sum, event_sum FROM run WHERE events > 0 ORDER BY run", func(row []driver.Value) error {
			number, _ := row[0].(int64)
			key := sums{row[1], row[2]}
			switch earlier, known := first[key]; {
			case !known:
				first[key] = int(number)
			case int(number) >= from:
				list = append(list, Repetition{int(number), earlier})
			}
			return nil
		})
	})
	return list, err
}
