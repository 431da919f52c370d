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
	var got []string
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Invoke || e.Kind == tracefmt.Return {
			got = append(got, e.Time.String()+" "+run.ProcessName(e.Process)+" "+e.Kind.String()+" "+e.Type+" "+string(e.Payload))
		}
	}
	want := `0 1 invoke put {"key":"y","value":-1,"tags":[]}
0 1 return put {"outcome":"fail"}
1.5 2 invoke put {"key":"x","value":5,"tags":["a","b,c"]}
1.5 2 return put {"outcome":"ok"}
2 2 invoke get 
2 2 return get {"outcome":"ok","value":5}`
	if strings.Join(got, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

func TestOperationErrors(t *testing.T) {
	for ops, want := range map[string]string{
		`'put(x'`:           `s:1:35: op: "put(x": expected OPERATION(ARGUMENTS):PROCESS@TIME, such as write(5):3@2.5 or read:1`,
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
