package scenario

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Every error of a scenario file names its place and what was expected.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		// The file as a whole.
		{"", "f.yaml:1:1: expected one YAML document with keys such as algorithm, ids, start"},
		{"# nothing\n", "f.yaml:1:1: expected one YAML document with keys such as algorithm, ids, start"},
		{"ids: 1-3\n---\nids: 1-3\n", "f.yaml:1:1: expected one YAML document with keys such as algorithm, ids, start"},
		{"- ids\n- 1-3\n", "f.yaml:1:1: expected keys and values, such as algorithm: bully"},
		{"bully", "f.yaml:1:1: expected keys and values, such as algorithm: bully"},
		{"ids: \xff1", "f.yaml:1:6: expected UTF-8"},
		{"name: ä\nids: ö\xc3(", "f.yaml:2:7: expected UTF-8"},
		// YAML.
		{"ids: 1-3\n\tdown: 1\n", "f.yaml:2:1: found a tab, expected spaces"},
		{"start: [1, 2\n", "f.yaml:1:8: a list that is not closed, expected ]"},
		{"ids: 1-3\nids: 1-4\n", `f.yaml:2:1: the key "ids" is there twice, expected once; the first is in line 1`},
		{"params: {timeout: 1, timeout: 2}", `f.yaml:1:22: the key "timeout" is there twice, expected once; the first is in line 1`},
		{"? [a]\n: b\n", "f.yaml:2:1: expected YAML: found an invalid key for this map"},
		// Keys.
		{"algoritm: bully", `f.yaml:1:1: unknown key "algoritm", did you mean "algorithm"?`},
		{"ids: 1-3\n\nStart: 1\n", `f.yaml:3:1: unknown key "Start", did you mean "start"?`},
		{"<<: {ids: 1-3}", `f.yaml:1:1: unknown key "<<"`},
		// Types.
		{"nodes: [3]", "f.yaml:1:8: expected a text or a number, found sequence"},
		{"algorithm: {name: bully}", "f.yaml:1:12: expected a text or a number, found mapping"},
		{"down:\n", "f.yaml:1:7: expected a text or a number, found null"},
		{"start:\n  - 1\n  - [2]\n", "f.yaml:3:5: expected a text or a number, found sequence"},
		{"algorithm: &a bully\n", "f.yaml:1:12: expected a text or a number, found anchor"},
		{"drop: *:4>*\n", "f.yaml:1:7: a value that begins with * must be quoted, such as '*:4>*'"},
		{"name: !!str 5", "f.yaml:1:7: expected a text or a number, found tag"},
		{"params: 5", "f.yaml:1:9: expected keys and values, such as algorithm: bully"},
		{"params: {timeout: [3]}", "f.yaml:1:19: expected a text or a number, found sequence"},
		// Values.
		{"nodes: 0", `f.yaml:1:8: nodes: "0": expected a number of processes from 1 to 100000`},
		{"nodes: true", `f.yaml:1:8: nodes: "true": expected a number of processes from 1 to 100000`},
		{"ids: 1-999999999", `f.yaml:1:6: ids: "1-999999999": expected at most 100000 numbers in all`},
		{"ids: 999999999-1", `f.yaml:1:6: ids: "999999999-1": expected at most 100000 numbers in all`},
		{"ids: shuffle(8", `f.yaml:1:6: ids: "shuffle(8": expected ids such as 0-7 or 33,17,4,24, or shuffle(8), shuffle(0-7)`},
		{"ids: shufle(8)", `f.yaml:1:6: ids: "shufle(8)": expected ids such as 0-7 or 33,17,4,24, or shuffle(8), shuffle(0-7)`},
		{"ids: shuffle(0)", `f.yaml:1:6: ids: "shuffle(0)": expected a number of processes from 1 to 100000`},
		{"ids: shuffle()", `f.yaml:1:6: ids: "shuffle()": "": expected numbers such as 4, 1,2,5, 0-7, 3..8 or 2..16..2`},
		{"ids: shuffle(1,2,2)", "f.yaml:1:6: ids: process 2 is listed twice"},
		{"ids: 1,b", `f.yaml:1:6: ids: "b": expected numbers such as 4, 1,2,5, 0-7, 3..8 or 2..16..2`},
		{"ids: +1", `f.yaml:1:6: ids: "+1": expected numbers such as 4, 1,2,5, 0-7, 3..8 or 2..16..2`},
		{"ids: 1-3\nnodes: 3", "f.yaml:2:8: nodes: the processes are given already (1-3)"},
		{"attribute: load", `f.yaml:1:12: attribute: "load": expected a name and a number for each process, such as load=3,9,1,4`},
		{"attribute: load=3,high", `f.yaml:1:12: attribute: "load=3,high": "high" is not a number`},
		{"attribute: load=1:3,9", `f.yaml:1:12: attribute: "load=1:3,9": expected a process before each value or before none`},
		{"attribute: load=a:3", `f.yaml:1:12: attribute: "load=a:3": "a" is not a process id, expected a number such as 4`},
		{"best: load", `f.yaml:1:7: best: "load": expected greatest:ATTRIBUTE, least:ATTRIBUTE or id`},
		{"attribute-ties: on", `f.yaml:1:17: attribute-ties: "on": expected id or refuse`},
		{"ids: 1-4\nattribute: load=3,9,1", "f.yaml:2:12: attribute load=3,9,1: 3 values for 4 processes, expected one for each"},
		{"ids: 1-3\nattribute: 'load=1:3,2:9,5:1'", "f.yaml:2:12: attribute load=1:3,2:9,5:1: there is no process 5, the processes are 1-3"},
		{"ids: 1-3\nattribute: 'load=1:3,2:9'", "f.yaml:2:12: attribute load=1:3,2:9: process 3 has no value"},
		{"ids: 1-2\nattribute: 'load=1:3,2:9,1:4'", "f.yaml:2:12: attribute load=1:3,2:9,1:4: process 1 has two values"},
		{"ids: 1-2\nattribute: load=3,4\nbest: greatest:lood", `f.yaml:3:7: best greatest:lood: unknown attribute "lood", did you mean "load"?`},
		{"ids: 1-2\nbest: greatest:load", "f.yaml:2:7: best greatest:load: no attribute is given, expected one such as attribute load=3,9,1,4"},
		{"ids: 1-3\nattribute: 'load=9,3,9'\nbest: greatest:load", "f.yaml:3:7: best greatest:load: processes 1 " +
			"and 3 have the same load, 9, expected different ones, or attribute-ties id"},
		{"ids: 1-2\nattribute-ties: id", "f.yaml:2:17: attribute-ties id: no best attribute is given, expected " +
			"also one such as best greatest:load"},
		{
			"ids: 1-2\nalgorithm: itai-rodeh\nattribute: 'load=9,3'\nbest: greatest:load",
			"f.yaml:4:7: best greatest:load: itai-rodeh does not elect the process with the greatest id, so that an attribute could take its place",
		},
		{
			"ids: 1-2\nattribute: 'role=9,3'",
			`f.yaml:2:12: attribute role=1:9,2:3: "role" cannot be the name of an attribute; expected a word such as load`,
		},
		{
			"ids: 1-2\nalgorithm: hirschberg-sinclair\nattribute: 'hops=9,3'\nbest: greatest:hops",
			"f.yaml:4:7: best greatest:hops: a message of hirschberg-sinclair has a field hops, expected an attribute of another name",
		},
		{"coordinator: x", `f.yaml:1:14: coordinator: "x" is not a process id, expected a number such as 4`},
		{
			"start: 1@x",
			`f.yaml:1:8: start: "x" is not a time, expected a decimal number of message delays such as 2.5, or a duration such as 2500ms`,
		},
		{"start: 1@-1", `f.yaml:1:8: start: "-1": expected a time from 0 to 72057594.037927936`},
		{
			"until: 1e9",
			`f.yaml:1:8: until: "1e9" is not a time, expected a decimal number of message delays such as 2.5, or a duration such as 2500ms`,
		},
		{"until: 99999999", `f.yaml:1:8: until: "99999999": expected a time from 0 to 72057594.037927936`},
		{"until: 0", `f.yaml:1:8: until: "0": expected a time above 0`},
		{"crash: [3@1, 3]", `f.yaml:1:14: crash: "3": expected PROCESS@TIME, such as 4@2.5`},
		{"crash: all@1", `f.yaml:1:8: crash: "all": expected numbers such as 4, 1,2,5, 0-7, 3..8 or 2..16..2`},
		{"delay: 0", `f.yaml:1:8: delay: "0": expected a delay such as 1, uniform(0.5,1.5) or exponential(1)`},
		{"delay: uniform(1.5,0.5)", `f.yaml:1:8: delay: "uniform(1.5,0.5)": expected a delay such as 1, uniform(0.5,1.5) or exponential(1)`},
		{"delay: uniform(0.5,1.5", `f.yaml:1:8: delay: "uniform(0.5,1.5": expected a delay such as 1, uniform(0.5,1.5) or exponential(1)`},
		{"delay: 1)", `f.yaml:1:8: delay: "1)": expected a delay such as 1, uniform(0.5,1.5) or exponential(1)`},
		{"delay: normal(1)", `f.yaml:1:8: delay: "normal(1)": expected a delay such as 1, uniform(0.5,1.5) or exponential(1)`},
		{"drop: OK", `f.yaml:1:7: drop: "OK": expected TYPE:P>Q or TYPE:P>Q#k, such as OK:3>2#1; * is any`},
		{"drop: OK:3>2#0", `f.yaml:1:7: drop: "OK:3>2#0": expected TYPE:P>Q or TYPE:P>Q#k, such as OK:3>2#1; * is any`},
		{"drop: OK:3>2=4", `f.yaml:1:7: drop: "OK:3>2=4": expected TYPE:P>Q or TYPE:P>Q#k, such as OK:3>2#1; * is any`},
		{"slow: OK:3>2", `f.yaml:1:7: slow: "OK:3>2": expected TYPE:P>Q=D or TYPE:P>Q#k=D, such as OK:3>2#1=4; * is any`},
		{"loss: 2", `f.yaml:1:7: loss: "2": expected a probability from 0 to 1`},
		{"loss: .nan", "f.yaml:1:7: expected a text or a number, found nan"},
		{"reorder: maybe", `f.yaml:1:10: reorder: "maybe": expected on or off`},
		{"partition: 1,2@3", `f.yaml:1:12: partition: "1,2@3": expected GROUP|GROUP@FROM-TO, such as 1,2|3,4@5-8`},
		{"choices: 1,x", `f.yaml:1:10: choices: "1,x": expected numbers from 0 such as 0,2,1`},
		{"partition: 1|2@5-3", `f.yaml:1:12: partition: "1|2@5-3": a partition must end after it begins`},
		{"edit: drp m12", `f.yaml:1:7: edit: unknown edit "drp", did you mean "drop"?`},
		{"edit: drop 12", `f.yaml:1:7: edit: "drop 12": expected drop MESSAGE, such as drop m12`},
		{"edit: drop m0", `f.yaml:1:7: edit: "drop m0": expected drop MESSAGE, such as drop m12`},
		{"edit: delay m1", `f.yaml:1:7: edit: "delay m1": expected delay MESSAGE=D, such as delay m12=4`},
		{"edit: crash 3", `f.yaml:1:7: edit: "crash 3": expected crash P@WHEN, such as crash 3@seq40`},
		{"edit: crash 3@t=seq4", `f.yaml:1:7: edit: "crash 3@t=seq4": expected crash P@WHEN, such as crash 3@seq40`},
		{"edit: drop t=4", `f.yaml:1:7: edit: "drop t=4": expected drop MESSAGE, such as drop m12`},
		{"edit: crash 3@m4", `f.yaml:1:7: edit: "crash 3@m4": expected crash P@WHEN, such as crash 3@seq40`},
		{"edit: timeout=5", `f.yaml:1:7: edit: "timeout=5": expected PARAMETER=VALUE@WHEN, such as timeout=5@seq30 or timeout=5@4.5`},
		{"params: {timeout: 3}\ntimeout: 4", "f.yaml:2:10: timeout: timeout is given twice, as 3 and as 4"},
		{"param: timeout", `f.yaml:1:8: param: "timeout": expected name=value`},
		{"seed: 1.5", `f.yaml:1:7: seed: "1.5": expected an integer`},
		{"max-events: 0", `f.yaml:1:13: max-events: "0": expected a whole number above 0`},
		// Errors that only the whole scenario shows.
		{"algorithm: bulli", `f.yaml:1:12: unknown algorithm "bulli", did you mean "bully"?`},
		{"ids: 1,2,1", "f.yaml:1:6: ids: process 1 is listed twice"},
		{"ids: 1-3\ndown: 4", "f.yaml:2:7: down 4: there is no process 4, the processes are 1-3"},
		{"ids: 1-3\ncoordinator: 9", "f.yaml:2:14: coordinator 9: there is no process 9, the processes are 1-3"},
		{"ids: 1-3\nstart: [1, '2@1,7@2']", "f.yaml:2:12: start 7@2: there is no process 7, the processes are 1-3"},
		{"ids: 1-3\ncrash:\n  - 1@1\n  - 4@2\n", "f.yaml:4:5: crash 4@2: there is no process 4, the processes are 1-3"},
		{"ids: 1-3\nrecover: 0@1", "f.yaml:2:10: recover 0@1: there is no process 0, the processes are 1-3"},
		{"ids: 1-3\npartition: 1|4@2", "f.yaml:2:12: partition 4: there is no process 4, the processes are 1-3"},
		{"ids: 1-3\npartition: 1,2|2@2", "f.yaml:2:12: partition 1,2|2@2: process 2 is in two groups"},
		{
			"ids: 1-3\ndrop: OKK:1>2",
			`f.yaml:2:7: drop OKK:1>2: unknown message type of bully "OKK", did you mean "OK"? (known: ELECTION, OK, COORDINATOR)`,
		},
		{"ids: 1-3\nslow: OK:1>4=2", "f.yaml:2:7: slow OK:1>4: there is no process 4, the processes are 1-3"},
		{"ids: 1-3\nedit: [drop m1, crash 4@seq9]", "f.yaml:2:17: edit crash 4@seq9: there is no process 4, the processes are 1-3"},
		{"edit: tmeout=5@seq30", `f.yaml:1:7: edit tmeout=5@seq30: unknown parameter of bully "tmeout", did you mean "timeout"?`},
		{"edit: timeout=off@seq30", `f.yaml:1:7: edit timeout=off@seq30: timeout "off": expected a time above 0`},
		{"edit: guard=off@seq30", "f.yaml:1:7: edit guard=off@seq30: guard decides which messages, variables " +
			"and timers there are, it cannot change during a run"},
		{"params:\n  announce: all\n  tmeout: 3", `f.yaml:3:3: unknown parameter of bully "tmeout", did you mean "timeout"?`},
		{"timeout: 0", `f.yaml:1:10: timeout "0": expected a time above 0`},
		{"param: [announce=all, timeout=-1]", `f.yaml:1:23: timeout "-1": expected a time above 0`},
		{"announce: everyone", `f.yaml:1:11: announce "everyone": expected lower or all or live`},
	} {
		s, err := Parse("f.yaml", []byte(test.input))
		if err == nil {
			s.Complete()
			_, _, err = s.Simulation()
		}
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q:\n got %v\nwant %s", test.input, err, test.want)
		}
	}
}

// A place is remembered for values of the file, not of a flag.
func TestMergedErrors(t *testing.T) {
	file := mustParse(t, "ids: 1-3\nstart: 9")
	flags := &Scenario{Start: []At{{Process: 8}}}
	for want, given := range map[string]map[string]bool{
		"test.yaml:2:8: start 9@0: there is no process 9, the processes are 1-3": nil,
		"start 8@0: there is no process 8, the processes are 1-3":                {"start": true},
	} {
		s := Merge(file, flags, given)
		s.Complete()
		if _, _, err := s.Simulation(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.yaml")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte(everything), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(path); err != nil || s.Name != "all keys" {
		t.Errorf("%+v, %v", s, err)
	}
}

func compileSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scenario.json") // compares it with its metaschema
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Schema and reader agree on keys and on what may be a list; which texts a key
// takes only the reader knows.
func TestSchemaAgreesWithReader(t *testing.T) {
	schema := compileSchema(t)
	agree := func(text string, want bool) {
		t.Helper()
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		_, readError := Parse("f.json", []byte(text))
		if schemaError := schema.Validate(value); (schemaError == nil) != want || (readError == nil) != want {
			t.Errorf("%s: want good %v\nschema: %v\nreader: %v", text, want, schemaError, readError)
		}
	}
	agree(string(mustParse(t, everything).JSON()), true)
	agree(`{}`, true)
	agree(`{"params":{"timeout":3,"announce":"all"}}`, true)
	for _, bad := range []string{
		`[]`, `"bully"`, `{"algoritm":"bully"}`, `{"params":["timeout=3"]}`, `{"params":{"timeout":[3]}}`, `{"params":{"timeout":null}}`,
	} {
		agree(bad, false)
	}
	good := map[string]string{
		"name": `"x"`, "algorithm": `"ring"`, "nodes": `3`, "ids": `"1-3"`, "attribute": `"load=3,9,1"`,
		"best": `"least:load"`, "attribute-ties": `"id"`, "anonymous": `true`, "topology": `"ring"`,
		"edges": `"1-2"`, "down": `1`, "coordinator": `1`, "start": `"all"`, "op": `"read:1@2"`,
		"crash": `"1@2"`, "recover": `"1@2"`, "delay": `0.5`, "drop": `"*:1>2"`, "slow": `"*:1>2=3"`, "loss": `0.5`, "duplicate": `0`,
		"reorder": `true`, "partition": `"1|2@3"`, "silence": `"1@2"`, "lie": `"1@2 T:a=3"`, "forge": `"1>2@2 T"`,
		"ring-repair": `false`, "round-length": `2`, "edit": `"drop m1"`, "choices": `"1,0"`, "timeout": `2.5`, "coordinator-timeout": `"on"`,
		"announce": `"all"`, "param": `"a=b"`, "seed": `-1`, "until": `9`, "max-events": `10`,
	}
	for _, k := range Keys {
		value := good[k.Name]
		if value == "" {
			t.Errorf("no example of %s", k.Name)
			continue
		}
		agree(`{"`+k.Name+`":`+value+`}`, true)
		agree(`{"`+k.Name+`":[`+value+`]}`, k.Repeat)
		agree(`{"`+k.Name+`":[`+value+`,`+value+`]}`, k.Repeat)
		agree(`{"`+k.Name+`":[]}`, k.Repeat)
		agree(`{"`+k.Name+`":null}`, false)
		agree(`{"`+k.Name+`":{"a":1}}`, false)
		agree(`{"`+k.Name+`":[[`+value+`]]}`, false)
	}
}

// The schema names every key that the reader knows, with its description.
func TestSchemaNamesEveryKey(t *testing.T) {
	var schema struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	names := keyNames()
	slices.Sort(names)
	if got := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(got, names) {
		t.Errorf("properties %v, want %v", got, names)
	}
	for _, k := range Keys {
		if schema.Properties[k.Name].Description != k.Doc {
			t.Errorf("%s: description %q", k.Name, schema.Properties[k.Name].Description)
		}
	}
}

// Whatever parses is written in a form that parses to the same, as JSON and as
// YAML; and no scenario makes the translation panic.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add(string(mustParse(f, everything).JSON()))
	f.Add("ids: 9223372036854775807\nstart: all\nname: \"\\u0001\\n'\"")
	f.Add("? a\n: b")
	f.Add("<<: *a\nname: &a [1]")
	f.Add("name: 0o17\nseed: 0x10\nparams: {a: ~, 'b': \"c\"}")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("f", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("an error without a place: %v", err)
			}
			return
		}
		json := s.JSON()
		again, err := Parse("again", json)
		if err != nil {
			t.Fatalf("%s: %v", json, err)
		}
		if got := again.JSON(); !bytes.Equal(got, json) {
			t.Fatalf("%s became %s", json, got)
		}
		yaml, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Settings()) > 0 {
			again, err = Parse("yaml", yaml)
			if err != nil || !bytes.Equal(again.JSON(), json) {
				t.Fatalf("%s as YAML is %q: %v", json, yaml, err)
			}
		}
		s.Complete()
		if len(s.IDs) < 100 {
			_, _, _ = s.Simulation()
		}
	})
}
