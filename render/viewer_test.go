package render_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/render"
	"etrace/tracefmt"
)

// harmlessOnPage are the elements of a page that can neither act nor fetch, but for scripts.
var harmlessOnPage = regexp.MustCompile(`^(html|head|meta|title|style|body|header|main|aside|section|footer|div|span|` +
	`p|h1|h2|button|label|input|` +
	`figure|details|summary|ul|li|svg|g|desc|rect|polygon|polyline|path|ellipse|text|script)$`)

// scripts are the texts of the scripts of a page.
var scripts = regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`)

// checkScripts fails unless a page has two scripts: its data, which no browser runs, and the script that its policy allows.
func checkScripts(t *testing.T, page string) {
	t.Helper()
	found := scripts.FindAllStringSubmatch(page, -1)
	if len(found) != 2 {
		t.Fatalf("%d scripts on the page, expected the data and the view", len(found))
	}
	if !strings.HasPrefix(found[0][0], `<script type="application/json" `) || !json.Valid([]byte(found[0][1])) {
		t.Errorf("the first script is no data: %.80s", found[0][0])
	}
	hash := sha256.Sum256([]byte(found[1][1]))
	policy := fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; "+
		"require-trusted-types-for 'script'; trusted-types 'none'",
		base64.StdEncoding.EncodeToString(hash[:]))
	if !strings.Contains(html.UnescapeString(page), `content="`+policy+`"`) {
		t.Errorf("the policy does not allow just the view, expected %s", policy)
	}
}

// parsePage reads a page as XML, strictly, and returns the texts of its list.
func parsePage(t *testing.T, page string) (events []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	inside := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			if !harmlessOnPage.MatchString(inside) {
				t.Errorf("element <%s> on the page", inside)
			}
			for _, a := range token.Attr {
				if name := strings.ToLower(a.Name.Local); name == "href" || name == "src" || strings.HasPrefix(name, "on") {
					t.Errorf("attribute %s=%q on the page", name, a.Value)
				}
			}
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			if inside == "li" {
				events = append(events, string(token))
			}
		}
	}
}

// A page has the picture and each event as text; no text of a run can act on it.
func TestPage(t *testing.T) {
	for _, name := range recordings {
		for _, d := range []string{"sequence", "ring"} {
			page := draw(t, load(t, name), render.Options{Diagram: d, Format: "html"})
			parsePage(t, page)
			checkScripts(t, page)
			if strings.Count(page, "<svg ") != 1 {
				t.Errorf("%s: not one picture", name)
			}
		}
	}
	page := draw(t, load(t, "bully"), render.Options{Format: "html"})
	list := strings.Join(parsePage(t, page), "\n") + "\n"
	for _, want := range []string{
		"t = 0, event 9: process 4, suspects 7\n",
		"ELECTION from 4 to 7: sent at t = 0 (event 13), lost at t = 1 (event 26) because the receiver is down\n",
		"t = 4, event 38: process 6, timeout, answer timeout\n",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not on the page:\n%s", want, list)
		}
	}
}

// Each event of a run is on the page once, in its order: a message where it ends, or where it is sent if it is in flight;
// what is not recorded in its place.
func TestPageEvents(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(`{"format":"etrace/1","time_unit":"delay","members":[{"name":"a","position":1},{"name":"b","position":2}],"complete":{"default":"all","kinds":{"recover":"none"},"gaps":[{"process":"a","from":6,"to":7,"dropped":2},{"process":"a","from":9}]}}
{"seq":1,"time":0,"process":"a","kind":"send","peer":"b","type":"X","message":1}
{"seq":2,"time":0,"process":"a","kind":"send","peer":"b","type":"Y","message":2}
{"seq":3,"time":0,"process":"a","kind":"send","peer":"b","type":"Z","message":3}
{"seq":4,"time":1000000000,"process":"b","kind":"receive","peer":"a","type":"X","message":1,"cause":1}
{"seq":5,"time":1000000000,"process":"a","kind":"state","payload":{"x":1}}
{"seq":6,"time":2000000000,"process":"b","kind":"crash"}
{"seq":7,"time":3000000000,"process":"b","kind":"lose","peer":"a","type":"Y","message":2,"cause":2}
{"seq":8,"time":4000000000,"process":"b","kind":"state","payload":{"y":2}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Z from a to b: sent at t = 0 (event 3), still in flight at the end",
		"X from a to b: sent at t = 0 (event 1), received at t = 1 (event 4)",
		"t = 1, event 5: process a, state, x = 1",
		"t = 2, event 6: process b, crashes",
		"Y from a to b: sent at t = 0 (event 2), lost at t = 3 (event 7)",
		"process a: 2 events not recorded",
		"t = 4, event 8: process b, state, is up again",
		"t = 4, event 8: process b, state, y = 2",
		"process a: events not recorded",
	}
	if diff := cmp.Diff(want, parsePage(t, draw(t, runs[0], render.Options{Format: "html"}))); diff != "" {
		t.Error(diff)
	}
}
