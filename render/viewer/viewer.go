package viewer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"io"

	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// Doc describes the page in a line.
const Doc = "one page for any browser: the run to explore, step by step, and its picture and events as text without scripts"

//go:embed viewer.js
var source string

// script is the script of the page. For readers of XML it is a CDATA section, for browsers a comment.
var script = "//<![CDATA[\n" + source + "//]]>"

// policy lets the browser run only this script, and fetch nothing. Text cannot become markup.
var policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + sum(script) +
	"'; require-trusted-types-for 'script'; trusted-types 'none'"

// Explorer returns the parts of the view, for pages that add to it: a style element, the body of the page
// with more markup beside the picture, and the script. The script shows a run by its function show.
func Explorer(title string, beside template.HTML) (style, body template.HTML, script string, err error) {
	var b, st bytes.Buffer
	if err := page.ExecuteTemplate(&st, "style", nil); err != nil {
		return "", "", "", err
	}
	err = page.ExecuteTemplate(&b, "explorer", map[string]any{"Title": title, "Beside": beside, "Origin": ""})
	return template.HTML(st.String()), template.HTML(b.String()), source, err
}

// sum returns the SHA-256 of a text in base64, as a security policy names a script.
func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(hash[:])
}

// Page has the contents of a page.
type Page struct {
	// Story is drawn in Picture, an SVG element with escaped texts. Both are for readers without the script.
	Story   *story.Story
	Picture []byte
	// Recording has the events; the page has those in the window of View. At first the script hides the events that
	// View leaves out.
	Recording tracefmt.Recording
	View      *view.View
	Verdicts  []Verdict
}

// Write writes the page, or nothing if it fails. It fails if the recording cannot be read or is too long.
func (p *Page) Write(ctx context.Context, w io.Writer) error {
	run, err := data(ctx, p.Recording, p.View, p.Verdicts)
	if err != nil {
		return err
	}
	content, err := json.Marshal(run)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = page.ExecuteTemplate(&out, "page", map[string]any{
		"Title": p.Story.Title(), "Picture": template.HTML(p.Picture), "Events": events(p.Story), "Policy": policy,
		// JSON from this encoder has no character that ends a script.
		"Data":   template.HTML(`<script type="application/json" id="etrace-run">` + string(content) + `</script>`),
		"Script": template.HTML(`<script type="module">` + script + `</script>`), "Origin": run.Origin, "Beside": "",
	})
	if err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// events describes each step in words. A message is described where it ends, including the time of its send.
func events(s *story.Story) []string {
	var list []string
	gaps := s.Gaps(func(int) bool { return true })
	for i := range s.Steps {
		st := &s.Steps[i]
		list = append(list, missing(s, gaps, i)...)
		if st.Restarted {
			list = append(list, s.StepTip(i, story.UpAgain))
		}
		switch st.Kind {
		case tracefmt.Receive, tracefmt.Lose:
			list = append(list, s.MessageTip(i))
		case tracefmt.Send:
			if st.Fate == tracefmt.InFlight || st.LossHidden() {
				list = append(list, s.MessageTip(i))
			}
		default:
			list = append(list, s.StepTip(i, cmp.Or(s.Words(i), st.Text)))
		}
	}
	return append(list, missing(s, gaps, len(s.Steps))...)
}

// missing describes the gaps that end before a step.
func missing(s *story.Story, gaps []story.Gap, step int) (list []string) {
	for i := range gaps {
		if g := &gaps[i]; g.Before == step {
			list = append(list, "process "+s.Name(g.Process)+": "+g.Text())
		}
	}
	return list
}

// page is well-formed XML, too, so that the strictest parser reads it.
var page = template.Must(template.New("").Parse(pageText))

//go:embed page.html
var pageText string
