package diagram

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// fitNames returns the names of all processes, by process, shortened to the width such that they stay distinct.
func fitNames(s *story.Story, style *drawing.Style, width float64) []string {
	const grain = 100 // parts of a unit of length
	return s.NamesWithin(int(width*grain), func(r rune) int { return int(math.Ceil(style.TextWidth(string(r)) * grain)) })
}

// shortNames returns the names of all processes, by process, for headers and tags. If one name is too wide between
// two lifelines, all are shortened to fit.
func (s *sequence) shortNames() []string {
	names := make([]string, len(s.story.Column))
	fit := true
	header, tag := s.width-14, s.tagRoom()-stateTag.TextWidth(s.electedSign())
	if s.width < narrow {
		header = s.width - 8
	}
	for _, p := range s.story.Order {
		names[p] = s.story.Name(p)
		fit = fit && processBox.TextWidth(names[p]) <= header && stateTag.TextWidth(names[p]) <= tag
	}
	if fit {
		return names
	}
	return fitNames(s.story, processBox, min(header, tag*processBox.Size/stateTag.Size))
}

// narrow is the distance between lifelines below which names take all the room.
const narrow = 46.0

// electedSign returns the sign before a name or role where the name of the variable has no room. Narrow columns have no
// room for the sign either.
func (s *sequence) electedSign() string {
	if s.width < narrow {
		return ""
	}
	return "= "
}

// tagText returns the text of a tag, "elected = 4", shortened to the width. The part that distinguishes the name from
// the others is never lost.
func (s *sequence) tagText(style *drawing.Style, tag string, width float64) string {
	variable, value, _ := strings.Cut(tag, " = ")
	p, named := tracefmt.ProcessID(0), false
	if variable == story.Elected {
		p, named = s.story.Named(value)
	}
	// A process that is not shown has no short name.
	if named && s.names[p] != "" {
		value = s.names[p]
	}
	text := variable + " = " + value
	if style.TextWidth(text) > width {
		text = s.electedSign() + value
	}
	if named {
		s.page.Shortened(p, s.names[p])
		return text
	}
	return style.Fit(text, width)
}

// tagRoom returns the width for the text of a tag.
func (s *sequence) tagRoom() float64 { return s.width - 12 }

// Shortened records that the picture has a shorter name of the process. The full name is then listed below the
// legend.
func (p *Page) Shortened(process tracefmt.ProcessID, name string) {
	if name == p.story.FullName(process) {
		return
	}
	if p.short == nil {
		p.short = make([][]string, len(p.story.Column))
	}
	if !slices.Contains(p.short[process], name) {
		p.short[process] = append(p.short[process], name)
	}
}

// fullNames lists the shortened names in full, and how to read the names that it leaves out where one can point at
// them.
func (p *Page) fullNames() (names, pointing string) {
	const limit = 40
	var list []string
	begin, end := p.story.NameEnds()
	switch {
	case begin != "" && end != "":
		list = append(list, "all begin with "+begin+" and end with "+end)
	case begin != "":
		list = append(list, "all begin with "+begin)
	case end != "":
		list = append(list, "all end with "+end)
	}
	for _, process := range p.story.Order {
		if p.short == nil {
			break
		}
		full := p.story.FullName(process)
		names := slices.DeleteFunc(p.short[process], func(name string) bool { return begin+name+end == full })
		if len(names) > 0 {
			list = append(list, strings.Join(names, ", ")+" is "+p.story.FullName(process))
		}
	}
	if more := len(list) - limit; more > 0 {
		list = append(list[:limit], strconv.Itoa(more)+" more")
		pointing = ": point at one"
	}
	if list == nil {
		return "", ""
	}
	return "Names: " + strings.Join(list, "; "), pointing
}
