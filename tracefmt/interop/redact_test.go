package interop_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// What is secret has the word secret, an address, or a long number; what stays is in lower case
// or is a type.
const confidential = `{"format":"etrace/1","name":"Secretrun","source":"Secretsystem","time_unit":"ns","members":[{"name":"secrethost1","position":1,"attributes":{"host":"10.20.30.40","role":"client"}},{"name":"secrethost2","position":2},{"name":"8645782499530242234","position":3}],"complete":{"default":"all","processes":{"secrethost2":{"default":"some"}},"gaps":[{"process":"secrethost1","from":2,"to":2}]}}
{"seq":1,"time":5,"process":"secrethost1","kind":"send","type":"PING","peer":"secrethost2","message":7,"term":3,"payload":{"from":"secrethost1","count":77,"list":["Secrettext",{"deep":"to secrethost2 at 10.20.30.40:80"}],"yes":true,"none":null}}
{"seq":2,"time":6,"process":"secrethost2","kind":"receive","type":"PING","peer":"secrethost1","message":7,"cause":1,"payload":{"from":"secrethost1","count":77,"list":["Secrettext",{"deep":"to secrethost2 at 10.20.30.40:80"}],"yes":true,"none":null}}
{"seq":3,"time":7,"process":"secrethost2","kind":"state","payload":{"elected":"secrethost1","role":"leader","votedFor":8645782499530242234,"vote":"yes","decided":"abort","log":{"text":"SECRET line of secrethost1","file":"/var/secretdir/secret.log","line":9,"clock":{"secrethost1":1,"secrethost2":2}}}}
{"seq":4,"time":8,"kind":"partition","payload":{"groups":[["secrethost1"],["secrethost2","8645782499530242234"]]}}
{"end":"stopped","events":4}
`

func redacted(t *testing.T, text string) (string, []tracefmt.Recording) {
	t.Helper()
	runs, err := tracefmt.ReadMemory(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var list []tracefmt.Recording
	for _, run := range runs {
		list = append(list, run)
	}
	list = interop.Redact(list)
	var b bytes.Buffer
	enc := tracefmt.NewEncoder(&b)
	for _, run := range list {
		if err := tracefmt.Validate(run); err != nil {
			t.Error(err)
		}
		if err := enc.Encode(run); err != nil {
			t.Fatal(err)
		}
	}
	return b.String(), list
}

// TestRedact: none of the words is left, the same name has the same word everywhere, of its
// shape, and the vocabulary and the numbers stay.
func TestRedact(t *testing.T) {
	got, runs := redacted(t, confidential+confidential)
	if left := regexp.MustCompile(`(?i)secret|10\.20|8645|line of|var|dir|text":"to`).FindAllString(got, -1); left != nil {
		t.Errorf("left: %q\n%s", left, got)
	}
	names := runs[0].Run().Members
	if !regexp.MustCompile(`^[a-z]{10}1$`).MatchString(names[0].Name) || names[1].Name != strings.TrimSuffix(names[0].Name, "1")+"2" {
		t.Errorf("names %q and %q", names[0].Name, names[1].Name)
	}
	if !regexp.MustCompile(`^[1-9]{19}$`).MatchString(names[2].Name) || strings.Count(got, names[2].Name) != 2*3 {
		t.Errorf("the number %s occurs %d times, expected 6\n%s", names[2].Name, strings.Count(got, names[2].Name), got)
	}
	for name, want := range map[string]int{ // as often as in the original
		names[0].Name: strings.Count(confidential, "secrethost1") * 2,
		names[1].Name: strings.Count(confidential, "secrethost2") * 2,
		`"PING"`:      4, `"role":"leader"`: 2, `"role":"client"`: 2, `"count":77`: 4, `"time":8`: 2, `"yes":true,"none":null`: 4, `"line":9`: 2,
		`"vote":"yes","decided":"abort"`: 2, `"elected":`: 2, `"groups":[["`: 2,
	} {
		if n := strings.Count(got, name); n != want {
			t.Errorf("%s occurs %d times, expected %d\n%s", name, n, want, got)
		}
	}
	if again, _ := redacted(t, confidential+confidential); again != got {
		t.Error("another time it is another file")
	}
}

// TestRedactKeepsApart: names that differ still do, though their shape has too few words.
func TestRedactKeepsApart(t *testing.T) {
	run := tracefmt.Run{TimeUnit: tracefmt.Logical}
	for i, c := range "abcdefghijklmnopqrstuvwxyzäöü" {
		run.Members = append(run.Members, tracefmt.Member{Name: string(c), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	_ = m.Finish(tracefmt.Stopped)
	seen := map[string]bool{}
	for i, member := range interop.Redact([]tracefmt.Recording{m})[0].Run().Members {
		if seen[member.Name] || member.Name == run.Members[i].Name {
			t.Errorf("%q stands for %q", member.Name, run.Members[i].Name)
		}
		seen[member.Name] = true
	}
}
