package scenario_test

import (
	"strings"
	"testing"

	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

//lint:file-ignore U1000 the simulator sets the fields of arguments

// store is an algorithm whose processes answer operations by themselves.
var store = &algorithm.Algorithm{Name: "store", Problem: "", New: func(algorithm.Values) *sim.Protocol {
	type put struct {
		Key   string
		Value int64
		Tags  sim.List[string]
	}
	type held struct{ value int64 }
	pr := &sim.Protocol{}
	last := sim.Declare[int64](pr, "last", "")
	write := sim.DeclareOperation[put, struct{}](pr, "put", "")
	read := sim.DeclareOperation[struct{}, held](pr, "get", "")
	write.On(func(p *sim.Process, a put) {
		if a.Value < 0 {
			write.Fail(p)
			return
		}
		last.Set(p, a.Value)
		write.Return(p, struct{}{})
	})
	read.On(func(p *sim.Process, _ struct{}) { read.Return(p, held{last.Get(p)}) })
	return pr
}}

func storing(t *testing.T, ops string) (*scenario.Scenario, error) {
	t.Helper()
	s, err := scenario.Parse("s", []byte("{algorithm: store, nodes: 2, op: ["+ops+"]}"))
	if err != nil {
		return nil, err
	}
	s.Algorithms = algorithm.NewRegistry(store)
	return s, nil
}

// TestOperations: clients invoke operations with their arguments, and return.
func TestOperations(t *testing.T) {
	s, err := storing(t, `'put(x, 5, ["a","b,c"]):2@1.5', 'put("y",-1,[]):1', 'get:2@2'`)
	if err != nil {
		t.Fatal(err)
	}
	config, run, err := s.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	m := tracefmt.NewMemory(*run)
	if _, err := sim.Run(t.Context(), config, m); err != nil {
		t.Fatal(err)
	}
	want := `0 1 invoke put {"key":"y","value":-1,"tags":[]}
0 1 return put {"outcome":"fail"}
1.5 2 invoke put {"key":"x","value":5,"tags":["a","b,c"]}
1.5 2 return put {"outcome":"ok"}
2 2 invoke get
2 2 return get {"outcome":"ok","value":5}`
	if got := history(m); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestOperationErrors(t *testing.T) {
	for ops, want := range map[string]string{
		`'put(x'`:           `s:1:35: op: "put(x": expected OPERATION(ARGUMENTS):PROCESS@TIME, such as write(5):3@2.5 or read:1`,
		`'(x):1'`:           `"(x):1": expected OPERATION(ARGUMENTS):PROCESS@TIME`,
		`'put(x,1,[]):9'`:   `op put(x,1,[]):9@0: there is no process 9`,
		`'pet(x):1'`:        `unknown operation "pet", did you mean "put"?`,
		`'put(x):1'`:        `1 argument is given, expected put(key, value, tags)`,
		`'put(x,y,[]):1'`:   `value of put: "y", expected an integer`,
		`'put(x,1,[2]):1'`:  `tags of put: "2", expected a text, in a list`,
		`'put(x,1,[]):1@z'`: `"z" is not a time`,
	} {
		s, err := storing(t, ops)
		if err == nil {
			_, _, err = s.Simulation()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", ops, err, want)
		}
	}
}

// slow is a register that process 1 keeps: the others ask it, and an operation
// takes two delays.
var slow = &algorithm.Algorithm{Name: "slow", New: func(algorithm.Values) *sim.Protocol {
	type content struct{ value int64 }
	pr := &sim.Protocol{}
	kept := sim.Declare[int64](pr, "kept", "")
	set, ok := sim.DeclareMessage[content](pr, "SET", ""), pr.Signal("OK", "")
	get, got := pr.Signal("GET", ""), sim.DeclareMessage[content](pr, "GOT", "")
	write := sim.DeclareOperation[content, struct{}](pr, "write", "")
	read := sim.DeclareOperation[struct{}, content](pr, "read", "")
	write.On(func(p *sim.Process, c content) { set.Send(p, 1, c) })
	read.On(func(p *sim.Process, _ struct{}) { get.Send(p, 1) })
	set.On(func(p *sim.Process, from tracefmt.ProcessID, c content) {
		kept.Set(p, c.value)
		ok.Send(p, from)
	})
	ok.On(func(p *sim.Process, _ tracefmt.ProcessID) { write.Return(p, struct{}{}) })
	get.On(func(p *sim.Process, from tracefmt.ProcessID) { got.Send(p, from, content{kept.Get(p)}) })
	got.On(func(p *sim.Process, _ tracefmt.ProcessID, c content) { read.Return(p, c) })
	return pr
}}

// TestOneOperationAtATime: what a client is to invoke while an operation of its
// own is open waits for the return, so that each return belongs to one invocation;
// a crash ends both, the operation and the waiting.
func TestOneOperationAtATime(t *testing.T) {
	for plan, want := range map[string]string{
		"op: ['read:3@1', 'write(7):2@1.5', 'read:3@2', 'read:3@2.5']": `1 3 invoke read
1.5 2 invoke write {"value":7}
3 3 return read {"outcome":"ok","value":0}
3 3 invoke read
3.5 2 return write {"outcome":"ok"}
5 3 return read {"outcome":"ok","value":7}
5 3 invoke read
7 3 return read {"outcome":"ok","value":7}`,
		"op: ['read:1', 'read:1']": `0 1 invoke read
0 1 return read {"outcome":"ok","value":0}
0 1 invoke read
0 1 return read {"outcome":"ok","value":0}`,
		"{op: ['read:3', 'read:3@1', 'read:3@6'], crash: 3@1.5, recover: 3@5}": `0 3 invoke read
6 3 invoke read
8 3 return read {"outcome":"ok","value":0}`,
		"{op: ['read:3', 'read:3@4'], drop: 'GOT:1>3#1'}": `0 3 invoke read`,
	} {
		s, err := scenario.Parse("s", []byte(plan))
		if err != nil {
			t.Fatal(err)
		}
		s.Algorithm, s.Algorithms, s.IDs = "slow", algorithm.NewRegistry(slow), []int64{1, 2, 3}
		config, run, err := s.Simulation()
		if err != nil {
			t.Fatal(err)
		}
		m := tracefmt.NewMemory(*run)
		if _, err := sim.Run(t.Context(), config, m); err != nil {
			t.Fatal(err)
		}
		if got := history(m); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", plan, got, want)
		}
	}
}

// history writes the invocations and returns of a run, one in a line.
func history(m *tracefmt.Memory) string {
	var lines []string
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Invoke || e.Kind == tracefmt.Return {
			lines = append(
				lines,
				strings.TrimSpace(e.Time.String()+" "+m.Run().ProcessName(e.Process)+" "+e.Kind.String()+" "+e.Type+" "+string(e.Payload)),
			)
		}
	}
	return strings.Join(lines, "\n")
}
