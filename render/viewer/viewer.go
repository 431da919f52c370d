package viewer

import (
	"bytes"
	"cmp"
	"html/template"
	"io"

	"etrace/render/story"
	"etrace/tracefmt"
)

// Doc says in a line what the page is for.
const Doc = "one page for any browser: the picture, and what happened event by event as text; no scripts"

// Write writes the page of a story with its picture, an SVG document whose
// texts are escaped already. It writes nothing unless all went well.
func Write(w io.Writer, s *story.Story, svg []byte) error {
	var out bytes.Buffer
	content := map[string]any{"Title": s.Title(), "Picture": template.HTML(root(svg)), "Events": events(s)}
	if err := page.Execute(&out, content); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// root returns the document without what comes before its root: a page has no
// place for that.
func root(svg []byte) []byte {
	return svg[max(bytes.Index(svg, []byte("<svg")), 0):]
}

// events says each step in words. A message is said where it ends: when it was
// sent is part of that.
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
			if st.Fate == tracefmt.InFlight {
				list = append(list, s.MessageTip(i))
			}
		default:
			list = append(list, s.StepTip(i, cmp.Or(s.Words(i), st.Text)))
		}
	}
	return append(list, missing(s, gaps, len(s.Steps))...)
}

// missing says which gaps end before a step.
func missing(s *story.Story, gaps []story.Gap, step int) (list []string) {
	for i := range gaps {
		if g := &gaps[i]; g.Before == step {
			list = append(list, "process "+s.Name(g.Process)+": "+g.Text())
		}
	}
	return list
}

// page is well-formed XML, too, so that the strictest parser reads it.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width"/>
<title>{{.Title}}</title>
<style>
body { font: 14px Helvetica, Arial, sans-serif; color: #222222; margin: 16px }
svg { max-width: 100%; height: auto }
li { margin: 2px 0 }
</style>
</head>
<body>
<figure>
{{.Picture}}</figure>
<details>
<summary>What happened</summary>
<ul>
{{- range .Events}}
<li>{{.}}</li>
{{- end}}
</ul>
</details>
</body>
</html>
`))
