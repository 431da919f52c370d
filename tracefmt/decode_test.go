package tracefmt

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	goodHeader = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"1","position":1},{"name":"b","position":2}]}` + "\n"
	goodEvent  = `{"seq":1,"time":0,"process":"1","kind":"start"}` + "\n"
)

// TestDecoderErrors: each error has the line, and states what was expected.
func TestDecoderErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no header", goodEvent, `line 1: expected the header of a run, which begins with {"format":"etrace/1", …, but found the key "seq"`},
		{"not JSON", "hello\n", `line 1: column 1: invalid character 'h', expected one JSON object a line`},
		{"no JSON object", "[1]\n", `line 1: expected the header`},
		{"empty object", "{}\n", `line 1: expected the header`},
		{"other version", `{"format":"etrace/2","new":1}`, `line 1: format "etrace/2", expected a header with "format":"etrace/1"`},
		{"version in another case", `{"FORMAT":"etrace/1","time_unit":"delay","members":[]}`, `line 1: expected the header`},
		{
			"header with an unknown key", `{"format":"etrace/1","time_unit":"delay","membres":[]}`,
			`line 1: unknown key "membres", did you mean "members"?`,
		},
		{
			"header with a key twice",
			`{"format":"etrace/1","format":"etrace/1","time_unit":"delay","members":[]}`,
			`line 1: the key "format" is given twice`,
		},
		{
			"header with a key in another case", `{"format":"etrace/1","time_unit":"delay","Members":[]}`,
			`line 1: unknown key "Members", did you mean "members"?`,
		},
		{"header without members", `{"format":"etrace/1","time_unit":"delay"}`, `line 1: expected the key "members"`},
		{
			"header with a wrong type", `{"format":"etrace/1","time_unit":7,"members":[]}`,
			`line 1: "time_unit": unexpected number, expected a text`,
		},
		{"unknown time unit", `{"format":"etrace/1","time_unit":"s","members":[]}`, `line 1: unknown time unit "s" (known: delay, ns, logical)`},
		{
			"member with an unknown key", `{"format":"etrace/1","time_unit":"ns","members":[{"nam":"1"}]}`,
			`line 1: unknown key "nam", did you mean "name"?`,
		},
		{"member without a name", `{"format":"etrace/1","time_unit":"ns","members":[{"position":1}]}`, `line 1: expected the key "name"`},
		{
			"members with one name",
			`{"format":"etrace/1","time_unit":"ns","members":[{"name":"1"},{"name":"1"}]}`,
			`line 1: two processes are named "1"`,
		},
		{
			"scenario no object", `{"format":"etrace/1","scenario":null,"time_unit":"ns","members":[]}`,
			`line 1: the scenario is not a JSON object`,
		},
		{
			"traits no list", `{"format":"etrace/1","time_unit":"ns","members":[],"traits":"ring"}`,
			`line 1: "traits": unexpected string, expected a list`,
		},
		{
			"a trait twice",
			`{"format":"etrace/1","time_unit":"ns","members":[],"traits":["ring","ring"]}`,
			`line 1: the trait ring is given twice`,
		},
		{
			"bound with an unknown key",
			`{"format":"etrace/1","time_unit":"ns","members":[],"bounds":[{"message":"n"}]}`,
			`line 1: unknown key "message", did you mean "messages"?`,
		},
		{
			"bound without a formula",
			`{"format":"etrace/1","time_unit":"ns","members":[],"bounds":[{"if":"n > 1"}]}`,
			`line 1: expected the key "messages"`,
		},
		{
			"complete an empty text", `{"format":"etrace/1","time_unit":"ns","members":[],"complete":""}`,
			`line 1: "complete": unexpected string, expected an object`,
		},
		{
			"complete a level", `{"format":"etrace/1","time_unit":"ns","members":[],"complete":"some"}`,
			`line 1: "complete": expected an object, {"default":"some"}`,
		},
		{"bound null", `{"format":"etrace/1","time_unit":"ns","members":[],"bounds":[null]}`, `line 1: expected the key "messages"`},
		{"cut header", `{"format":"etrace/1","time_unit`, `line 1: the line ends inside a JSON object`},

		{"unknown key", goodHeader + `{"seq":1,"tine":0}`, `line 2: "tine": an event has no such key`},
		{"key twice", goodHeader + `{"seq":1,"time":0,"seq":2,"kind":"heal"}`, `line 2: "seq": the key is given twice`},
		{"key twice in disguise", goodHeader + `{"kind":"heal","\u006bind":"heal"}`, `line 2: "kind": the key is given twice`},
		{
			"unknown kind", goodHeader + `{"seq":1,"kind":"recieve"}`,
			`line 2: "kind": unknown event kind "recieve", did you mean "receive"? (known: start, halt,`,
		},
		{"no kind", goodHeader + `{"seq":1}`, `line 2: expected an event, which has a "kind"`},
		{"kind no string", goodHeader + `{"kind":null}`, `line 2: "kind": expected a string`},
		{"type no string", goodHeader + `{"kind":"note","type":null}`, `line 2: "type": expected a string`},
		{
			"unknown process", goodHeader + goodEvent + `{"seq":2,"process":"2","kind":"halt"}`,
			`line 3: "process": "2" is not a member of the run`,
		},
		{"unknown peer", goodHeader + `{"kind":"send","peer":2}`, `line 2: "peer": "2" is not a member of the run`},
		{"name that is no number", goodHeader + `{"kind":"halt","process":b}`, `line 2: column 26: invalid character 'b'`},
		{"process null", goodHeader + `{"kind":"halt","process":null}`, `line 2: "process": "null" is not a member of the run`},
		{"payload no object", goodHeader + `{"kind":"note","payload":[]}`, `line 2: "payload": expected a JSON object`},
		{
			"not an integer", goodHeader + `{"seq":1.5}`,
			`line 2: "seq": 1.5 is not an integer between -9223372036854775808 and 9223372036854775807`,
		},
		{"too great an integer", goodHeader + `{"time":9223372036854775808}`, `line 2: "time": 9223372036854775808 is not an integer`},
		{"array", goodHeader + `[1,2]`, `line 2: expected a JSON object, not a JSON array`},
		{"string", goodHeader + `"x"`, `line 2: expected a JSON object, not a JSON string`},
		{"null", goodHeader + `null`, `line 2: expected a JSON object`},
		{
			"trailing garbage", goodHeader + strings.TrimSpace(goodEvent) + ` x`,
			`line 2: column 49: invalid character 'x' after top-level value, expected one JSON object a line`,
		},
		{
			"two objects in a line", goodHeader + `{"kind":"heal"}{"kind":"heal"}`,
			`line 2: column 16: invalid character '{' after top-level value`,
		},
		{"trailing comma", goodHeader + `{"kind":"heal",}`, `line 2: column 16: invalid character '}'`},
		{"cut line", goodHeader + `{"seq":1,"ti`, `line 2: the line ends inside a JSON object`},
		{"NUL", goodHeader + "{\"seq\":1,\x00}", `line 2: column 10: invalid character '\x00'`},
		{
			"NUL in a string", goodHeader + "{\"kind\":\"note\",\"type\":\"\x00\"}",
			`line 2: column 24: invalid character '\x00' in string literal`,
		},
		{"not UTF-8", goodHeader + "{\"kind\":\"note\",\"type\":\"\xff\"}", `line 2: the line is not UTF-8`},
		{"BOM in the middle", goodHeader + "\uFEFF" + goodEvent, `line 2: column 1: invalid character`},
		{"blank lines count", goodHeader + "\n\r\n" + `{"x":1}`, `line 4: "x": an event has no such key`},

		{"wrong count", goodHeader + goodEvent + `{"end":"stopped","events":2}`, `line 3: the run says that it has 2 events, but 1 were read`},
		{"unknown end", goodHeader + `{"end":"done","events":0}`, `line 2: unknown end "done" (known: quiescent, stopped, deadline, recording)`},
		{"trailer with an unknown key", goodHeader + `{"end":"stopped","events":0,"x":1}`, `line 2: unknown key "x" (known: end, events)`},
		{"trailer without a count", goodHeader + `{"end":"stopped"}`, `line 2: expected the key "events"`},
		{"event after the trailer", goodHeader + `{"end":"stopped","events":0}` + "\n" + goodEvent, `line 3: expected the header of a run`},
		{"second run damaged", goodHeader + goodHeader + `{"kind":"x"}`, `line 3: "kind": unknown event kind "x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := drain(NewDecoder(strings.NewReader(tt.text)))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s…", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%q has more than one line", err)
			}
		})
	}
}

// drain reads all runs and returns the first error.
func drain(d *Decoder) error {
	for {
		if _, err := d.NextRun(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for {
			if _, err := d.Next(); err == io.EOF {
				break
			} else if err != nil {
				return err
			}
		}
	}
}

func TestDecoderAccepts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		end        End
		events     int64
	}{
		{"trailer", goodHeader + goodEvent + `{"end":"deadline","events":1}`, Deadline, 1},
		{"cut file", goodHeader + goodEvent, Open, 1},
		{"a second header cuts the run", goodHeader + goodEvent + goodHeader, Open, 0},
		{
			"BOM and CRLF",
			"\uFEFF" + strings.ReplaceAll(goodHeader+goodEvent, "\n", "\r\n") + "{\"end\":\"stopped\",\"events\":1}\r\n",
			Stopped, 1,
		},
		{"blank lines", "\n\n" + goodHeader + "\n \t\n" + goodEvent + "\n", Open, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, input := range []io.Reader{
				strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text)),
				iotest.DataErrReader(strings.NewReader(tt.text)),
			} {
				d := NewDecoder(input)
				if err := drain(d); err != nil {
					t.Fatal(err)
				}
				if d.run.End != tt.end || d.run.Events != tt.events {
					t.Errorf("the last run has %d events and ends %s, want %d, %s", d.run.Events, d.run.End, tt.events, tt.end)
				}
				if want := int64(strings.Count(strings.TrimRight(tt.text, "\n"), "\n") + 1); d.Line() != want && tt.name != "blank lines" {
					t.Errorf("Line is %d, want %d", d.Line(), want)
				}
			}
		})
	}
}

// TestDecoderSkips: NextRun skips what was not read, but not its errors.
func TestDecoderSkips(t *testing.T) {
	d := NewDecoder(strings.NewReader(goodHeader + goodEvent + goodHeader + `{"x":1}` + "\n" + goodHeader))
	for range 2 {
		if _, err := d.NextRun(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the error stays
		if _, err := d.NextRun(); err == nil || !strings.HasPrefix(err.Error(), "line 4: ") {
			t.Errorf("got %v, want the error of line 4", err)
		}
		if _, err := d.Next(); err == nil || !strings.HasPrefix(err.Error(), "line 4: ") {
			t.Errorf("got %v, want the error of line 4", err)
		}
	}
}

func TestDecoderLongLines(t *testing.T) {
	long := `{"seq":1,"time":0,"kind":"note","payload":{"x":"` + strings.Repeat("y", 200<<10) + `"}}` + "\n"
	if err := drain(NewDecoder(strings.NewReader(goodHeader + long))); err != nil {
		t.Error(err)
	}
	d := NewDecoder(strings.NewReader(goodHeader + long))
	d.maxLine = 100 << 10
	if err := drain(d); err == nil || err.Error() != "line 2: the line is longer than 102400 bytes" {
		t.Errorf("got %v, want an error of line 2", err)
	}
}

// TestDecoderNearMisses: a line of an event that is one slip away from a good one
// is refused, unless it is JSON all the same.
func TestDecoderNearMisses(t *testing.T) {
	for line := range nearMisses(strings.TrimSpace(goodEvent), `{ "seq" : 1, "time":0,"kind":"note","payload":{"x":[1]} }`) {
		err := drain(NewDecoder(strings.NewReader(goodHeader + line)))
		if blank := strings.TrimSpace(line) == ""; err == nil && !blank && !json.Valid([]byte(line)) {
			t.Errorf("%q is read", line)
		}
	}
}

// TestDecoderLongWords: an error does not repeat megabytes, nor spend minutes
// on looking for the nearest of them.
func TestDecoderLongWords(t *testing.T) {
	word := strings.Repeat("é", 1<<20)
	for _, line := range []string{
		`{"kind":"` + word + `"}`, `{"process":"` + word + `"}`, `{"` + word + `":1}`,
		`{"end":"` + word + `","events":0}`,
	} {
		err := drain(NewDecoder(strings.NewReader(goodHeader + line)))
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("got an error of %d bytes", len(err.Error()))
		}
	}
}

func TestDecoderReadError(t *testing.T) {
	d := NewDecoder(io.MultiReader(strings.NewReader(goodHeader), iotest.ErrReader(errors.New("disk on fire"))))
	if err := drain(d); err == nil || err.Error() != "line 2: disk on fire" {
		t.Errorf("got %v", err)
	}
}

// FuzzDecoder: no text makes the decoder panic, and what it reads as a
// well-formed run is written in a form that reads the same.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte(goodHeader + goodEvent + `{"end":"stopped","events":1}`))
	f.Add(
		[]byte(
			goodHeader + `{"seq":1,"time":3,"process":"1","kind":"send","type":"é","peer":"b","message":1,"lamport":2,` +
				`"term":-1,"payload":{"a":{"b":[1,-2.5e3,"\u00e4",null]}}}`,
		),
	)
	f.Add([]byte("\uFEFF" + goodHeader + "\r\n" + goodHeader))
	f.Add(
		[]byte(
			`{"format":"etrace/1","scenario":{ "a" : 1 },"seed":-1,"time_unit":"ns","members":[{"name":"\ud800","position":-1,"attributes":{}}]}`,
		),
	)
	f.Add(
		[]byte(
			`{"format":"etrace/1","time_unit":"ns","members":[],"traits":["ring","mine"],"bounds":[{"messages":"3*n-1","if":"n > 1","counts":"others","delays":"unit","source":"\u00e4"},{"messages":"1"}]}`,
		),
	)
	f.Add(
		[]byte(
			strings.Replace(goodHeader, "]}", `],"slice":true}`, 1) +
				`{"seq":4,"process":"b","kind":"receive","peer":"1","message":1,"cause":2}` + "\n" + `{"seq":9,"kind":"heal"}` +
				"\n" + `{"end":"stopped"}`,
		),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		d := NewDecoder(bytes.NewReader(text))
		for {
			run, err := d.NextRun()
			if err != nil {
				return
			}
			m := NewMemory(*run)
			for e, err := d.Next(); err == nil; e, err = d.Next() {
				_ = m.Write(e) // a Memory takes every event
			}
			m.Finish(run.End)
			if Validate(m) == nil {
				rereads(t, m)
			}
		}
	})
}

func rereads(t *testing.T, m *Memory) {
	var first, second bytes.Buffer
	if err := NewEncoder(&first).Encode(m); err != nil {
		t.Fatal(err)
	}
	d := NewDecoder(bytes.NewReader(first.Bytes()))
	run, err := d.NextRun()
	if err != nil {
		t.Fatalf("%v\n%s", err, first.Bytes())
	}
	again := NewMemory(*run)
	e, err := d.Next()
	for ; err == nil; e, err = d.Next() {
		_ = again.Write(e)
	}
	if err != io.EOF {
		t.Fatalf("%v\n%s", err, first.Bytes())
	}
	again.Finish(run.End)
	if err := NewEncoder(&second).Encode(again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("%v\nfirst  %s\nsecond %s", err, first.Bytes(), second.Bytes())
	}
}
