package hunt

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/scenario"
)

// everyKey is a scenario that uses every key. It need not be executable.
const everyKey = `
name: all of it
algorithm: bully
ids: 1-4
topology: grid(2)
edges: [1-2, 3-4]
attribute: ['load=1:3,2:1,3:3,4:7', 'cpu=1:1,2:2,3:3,4:4']
best: greatest:load
attribute-ties: id
anonymous: on
down: [3, 4]
coordinator: 4
start: ['1@0.3', '2@1.3']
op: ['write(5, "a,b"):1@0.3', 'read:2@1.3']
crash: ['1@2.3', '2@3.3']
recover: ['1@4.3', '2@5.3']
delay: uniform(0.5,1.5)
drop: ['OK:1>2#1', '*:*>1']
slow: ['OK:1>2#1=4.3', '*:*>1=2.3']
loss: 0.25
duplicate: 0.5
reorder: on
partition: ['1,2|3,4@5.3-8.3', '1|2@9.3-10.3']
silence: ['1@0.3', '2@1.3']
lie: ['1@0.3 OK:a=1', '2>1@1.3 OK:a="x,y"']
forge: ['1>2@0.3 OK', '2>1@1.3 OK:a=1,b=2']
edit: [drop m1, crash 3@seq40]
choices: 0,1,2
round-length: 2.5
ring-repair: off
param: [timeout=3, announce=all]
seed: 7
until: 100
max-events: 500
`

// aliases are keys that set the same field as another key.
var aliases = []string{"nodes", "timeout", "coordinator-timeout", "announce"}

func mustYAML(t *testing.T, s *scenario.Scenario) string {
	t.Helper()
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mustSay fails unless what is printed of a scenario reads as the scenario.
func mustSay(t *testing.T, s *scenario.Scenario) {
	t.Helper()
	text := mustYAML(t, s)
	if again := mustYAML(t, mustScenario(t, text)); again != text {
		t.Errorf("printed\n%s\nread again\n%s", text, again)
	}
}

// TestEveryKeyIsPrinted: a scenario of all keys survives its printed form, as a
// file and as JSON, and the scenario above is one of all keys.
func TestEveryKeyIsPrinted(t *testing.T) {
	s := mustScenario(t, everyKey)
	mustSay(t, s)
	text := "\n" + mustYAML(t, s)
	for _, key := range scenario.Keys {
		written := key.Name
		if written == "param" {
			written = "params"
		}
		if !strings.Contains(text, "\n"+written+":") && !slices.Contains(aliases, key.Name) {
			t.Errorf("the scenario says nothing with %s:%s", key.Name, text)
		}
	}
	if again := mustYAML(t, mustScenario(t, string(s.JSON()))); again != text[1:] {
		t.Errorf("as JSON %s, read again\n%s", s.JSON(), again)
	}
}

// TestPartsLeaveTheOriginal: what is left out of a copy, and what time is
// changed there, stays as it was in the scenario that was copied, and what
// remains can be printed.
func TestPartsLeaveTheOriginal(t *testing.T) {
	s := mustScenario(t, everyKey)
	want := mustYAML(t, s)
	for i, p := range removableLists {
		if p.len(s) == 0 {
			t.Errorf("part %d: the scenario has none of it", i)
		}
		for from := range p.len(s) {
			c := clone(s)
			p.remove(c, from, from+1)
			mustSay(t, c)
			if got := mustYAML(t, c); got == want {
				t.Errorf("part %d: nothing was removed", i)
			}
		}
	}
	for i := range times(s) {
		*times(clone(s))[i].time = 0
	}
	if got := mustYAML(t, s); got != want {
		t.Errorf("the scenario is now\n%s\nwant\n%s", got, want)
	}
}

// TestRemoveProcesses: after the removal of a process, the scenario still has all settings of the others, and
// none of the removed process.
func TestRemoveProcesses(t *testing.T) {
	const text = `
algorithm: bully
ids: 1-4
edges: [1-2, 3-4, 4-1]
down: [3, 4]
start: [all, '1@1', '2@2']
crash: ['1@1', '2@2']
recover: ['1@4', '2@5']
drop: ['*:1>2', '*:3>4', '*:4>*', '*:*>1']
partition: ['1,2|3,4@5-8', '1|2@9-10', '1|2|3@11-12']
`
	for _, tt := range []struct {
		id   int
		want string
	}{
		{1, `
algorithm: bully
ids: 2-4
edges: [3-4]
down: [3, 4]
start: [all, '2@2']
crash: ['2@2']
recover: ['2@5']
drop: ['*:3>4', '*:4>*']
partition: ['2|3,4@5-8', '2|3@11-12']
`},
		{2, `
algorithm: bully
ids: '1,3,4'
edges: [3-4, 4-1]
down: [3, 4]
start: [all, '1@1']
crash: ['1@1']
recover: ['1@4']
drop: ['*:3>4', '*:4>*', '*:*>1']
partition: ['1|3,4@5-8', '1|3@11-12']
`},
		{4, `
algorithm: bully
ids: 1-3
edges: [1-2]
down: [3]
start: [all, '1@1', '2@2']
crash: ['1@1', '2@2']
recover: ['1@4', '2@5']
drop: ['*:1>2', '*:*>1']
partition: ['1,2|3@5-8', '1|2@9-10', '1|2|3@11-12']
`},
	} {
		s := mustScenario(t, text)
		removeProcesses(s, tt.id-1, tt.id)
		if diff := cmp.Diff(mustYAML(t, mustScenario(t, tt.want)), mustYAML(t, s)); diff != "" {
			t.Errorf("without %d: (-want +got)\n%s", tt.id, diff)
		}
	}
	ops := mustScenario(t, "{algorithm: bully, nodes: 3, op: ['read:1@1', 'read:2@1']}")
	removeProcesses(ops, 0, 1)
	if len(ops.Operations) != 1 || ops.Operations[0].Process != 2 {
		t.Errorf("the operations without 1: %v, want that of 2", ops.Operations)
	}
	s := mustScenario(t, "{algorithm: bully, ids: 0-2, start: [all, '0@1']}") // 0 is a process, too
	removeProcesses(s, 0, 1)
	if got, want := mustYAML(t, s), mustYAML(t, mustScenario(t, "{algorithm: bully, ids: 1-2, start: all}")); got != want {
		t.Errorf("without 0: got\n%s\nwant\n%s", got, want)
	}
}

// TestCloneSharesNoList: a list that a copy shared would be changed with it.
func TestCloneSharesNoList(t *testing.T) {
	s := mustScenario(t, everyKey)
	v, w := reflect.ValueOf(s).Elem(), reflect.ValueOf(clone(s)).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if name == "Choices" { // replaced, never changed
			continue
		}
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() > 0 && f.Pointer() == w.Field(i).Pointer() {
			t.Errorf("the copy shares %s", name)
		}
	}
}
