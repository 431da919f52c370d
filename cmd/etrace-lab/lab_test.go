//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"etrace/fixtures/browser"
	"etrace/fixtures/size"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/replay/rerun"
)

// TestExamples: each algorithm's example runs, and its command line names it.
func TestExamples(t *testing.T) {
	for _, name := range builtin.Algorithms().Names() {
		out, err := simulate(t.Context(), fmt.Sprintf(`[["algorithm",%q]]`, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(out.Command, "etrace record "+name) {
			t.Errorf("%s: the command is %q", name, out.Command)
		}
	}
}

// TestEdits: the settings that a run returns give the same run, and an edit changes it: in the lecture's run of bully
// 6 is elected; without 6, which crashes at its start, it is 5.
func TestEdits(t *testing.T) {
	run := func(settings any) *simulated {
		t.Helper()
		text, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		out, err := simulate(t.Context(), string(text))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	lecture := run([][2]string{{"algorithm", "bully"}})
	if again := run(lecture.Settings); string(again.Run) != string(lecture.Run) {
		t.Error("the settings of a run give another run")
	}
	// ELECTION from 4 to 5, 6, 7, from 5 to 6, 7 and from 6 to 7; OK from 5 and 6 to 4, and from 6 to 5; and
	// 6 announces itself to the six others that it knows.
	want := [][2]string{{"COORDINATOR", "6"}, {"ELECTION", "6"}, {"OK", "3"}, {"all", "15"}}
	if fmt.Sprint(lecture.Counts) != fmt.Sprint(want) {
		t.Errorf("messages %v, expected %v", lecture.Counts, want)
	}
	without := run(append(lecture.Settings, [2]string{"crash", "6@0.5"}))
	if !slices.Contains(without.Counts, [2]string{"COORDINATOR", "5"}) {
		t.Errorf("messages %v, expected 5 to announce itself to the five processes below it", without.Counts)
	}
}

func TestErrors(t *testing.T) {
	for settings, want := range map[string]string{
		`{}`:                                    "expected a list of keys and values",
		`[["speed","3"]]`:                       `"speed" is no key`,
		`[["algorithm","bulli"]]`:               "did you mean",
		`[["algorithm","bully"],["crash","3"]]`: "crash",
		`[["algorithm","bully"],["edit","jump"]]`: "edit",
	} {
		if _, err := simulate(t.Context(), settings); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %q in it", settings, err, want)
		}
	}
}

// TestPage drives the laboratory in a browser: it crashes the winner at a click, undoes that, and opens a link.
func TestPage(t *testing.T) {
	size.SkipQuick(t)
	if browser.Program() == "" {
		t.Skip("no Chromium, see .ci/run")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "etrace.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	wasm, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	page, err := lab(wasm)
	if err != nil {
		t.Fatal(err)
	}
	const mostBytes = 7_000_000 // what a page may weigh that a lecture hall opens at once
	if len(page) > mostBytes {
		t.Errorf("the page has %d bytes, expected at most %d", len(page), mostBytes)
	}
	file := filepath.Join(folder, "lab.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	p := browser.Open(t, file)
	contains := func(id, part string) string {
		return fmt.Sprintf("document.getElementById(%q).textContent.includes(%q)", id, part)
	}
	p.Wait(contains("lab-command", "etrace record bully"))
	p.Wait(contains("etrace-status", "event 1: "))
	p.Eval("{const s = document.getElementById('etrace-search'); s.value = 'send coordinator'; s.dispatchEvent(new Event('change'))}")
	p.Wait(contains("etrace-status", ": 6 send COORDINATOR"))
	p.Eval("document.querySelector('[data-edit=crash]').click()")
	p.Wait(contains("lab-command", "--edit 'crash 6@seq"))
	// 0 learns that 6 is elected after 6 crashed: the best live process is 5.
	const unsafe = "[...document.querySelectorAll('#etrace-verdicts .violated')].some((b) => b.textContent.startsWith('election-safety'))"
	p.Wait(unsafe)
	p.NoBarriers()
	// A partition adds an event, and the event after which 6 crashes is the same as before.
	seq := fmt.Sprint(p.Eval(`/seq(\d+)/.exec(document.getElementById("lab-command").textContent)[1]`))
	p.Eval("document.querySelector('[data-edit=partition]').click()")
	p.Wait(contains("lab-command", "--partition '6|"))
	p.Wait(contains("etrace-status", ": 6 send COORDINATOR"))
	if at, err := strconv.Atoi(seq); err != nil || p.Eval(contains("lab-command", fmt.Sprintf("crash 6@seq%d", at+1))) != true {
		t.Errorf("after the partition the crash is not behind event %d: %v", at+1, p.Eval(`document.getElementById("lab-command").textContent`))
	}
	p.Eval("document.getElementById('lab-undo').click()")
	p.Wait("!" + contains("lab-command", "--partition"))
	p.Eval("document.getElementById('lab-undo').click()")
	p.Wait("!" + contains("lab-command", "--edit"))
	p.Wait("!" + unsafe)
	p.Eval("{const a = document.getElementById('lab-algorithm'); a.value = 'chang-roberts'; a.dispatchEvent(new Event('change'))}")
	p.Wait(contains("lab-command", "etrace record chang-roberts"))
	p.Eval("{document.getElementById('lab-settings').value = 'ids 1-4\\nstart 9'; document.getElementById('lab-run').click()}")
	p.Wait(contains("lab-error", "9"))
	for _, complaint := range p.Complaints {
		t.Error(complaint)
	}
}

// TestVerdicts: the page has the verdicts of the default properties that apply, with their witnesses.
func TestVerdicts(t *testing.T) {
	s, err := scenario.Parse("test", []byte("{algorithm: bully, ids: 1-4, down: 4, start: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := rerun.Record(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := decide(rec)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, v := range verdicts {
		found[v.Name] = v.Verdict
	}
	if found["election-safety"] != "satisfied" || found["agreement"] != "satisfied" || found["mutual-exclusion"] != "" {
		t.Errorf("verdicts %v, want safety and agreement of an election, and none of mutual exclusion", found)
	}
}
