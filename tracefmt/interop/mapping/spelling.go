package mapping

import (
	"regexp"
	"time"
)

// spelling is a way to write a time, with its layout in a mapping. Fractions of a second are not part of the layout.
type spelling struct {
	pattern, layout string
	// before is the text before the time without a blank, such as the letter of klog's level.
	before string
	// counter is true if other numbers look the same. Such a value is a time only in a field with a usual name for
	// times.
	counter bool
}

const (
	clockPattern = `\d\d:\d\d:\d\d(?:[.,]\d+)?`
	halfClock    = `\d{1,2}:\d\d:\d\d(?:[.,]\d+)? [AP]M`
	monthPattern = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)`
	dayPattern   = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)`
	zonePattern  = `[+-]\d{4}`
)

// spellings are the ways to write times, the more specific first.
var spellings = []spelling{
	{pattern: `\d{4}-\d\d-\d\dT` + clockPattern + `(?:Z|[+-]\d\d:\d\d)`, layout: "rfc3339"},
	{pattern: `\d{4}-\d\d-\d\dT` + clockPattern + zonePattern, layout: "2006-01-02T15:04:05Z0700"},
	{pattern: `\d{4}-\d\d-\d\dT` + clockPattern, layout: "2006-01-02T15:04:05"},
	{pattern: `\d{4}-\d\d-\d\d ` + clockPattern + ` ` + zonePattern + ` [A-Z]{3,4}`, layout: "2006-01-02 15:04:05 -0700 MST"},
	{pattern: `\d{4}-\d\d-\d\d ` + clockPattern + ` ` + zonePattern, layout: "2006-01-02 15:04:05 -0700"},
	{pattern: `\d{4}-\d\d-\d\d ` + clockPattern + `(?:Z|[+-]\d\d:\d\d)`, layout: "2006-01-02 15:04:05Z07:00"},
	{pattern: `\d{4}-\d\d-\d\d ` + clockPattern + ` (?:UTC|GMT|CES?T|[ECMP][DS]T)`, layout: "2006-01-02 15:04:05 MST"},
	{pattern: `\d{4}-\d\d-\d\d ` + clockPattern, layout: "2006-01-02 15:04:05"},
	{pattern: `\d{4}-\d\d-\d\d_` + clockPattern, layout: "2006-01-02_15:04:05"},
	{pattern: `\d{4}-` + monthPattern + `-\d\d ` + clockPattern, layout: "2006-Jan-02 15:04:05"},
	{pattern: `\d{4}/\d\d/\d\d ` + clockPattern + ` [+-]\d\d:\d\d`, layout: "2006/01/02 15:04:05 -07:00"},
	{pattern: `\d{4}/\d\d/\d\d ` + clockPattern, layout: "2006/01/02 15:04:05"},
	{pattern: `\d{4}/\d\d/\d\d-` + clockPattern, layout: "2006/01/02-15:04:05"},
	{pattern: `\d{4}\.\d\d\.\d\d ` + clockPattern, layout: "2006.01.02 15:04:05"},
	{pattern: `\d{8} ` + clockPattern, layout: "20060102 15:04:05"},
	{pattern: `\d{8} ` + clockPattern, layout: "20060102 15:04:05", before: `[IWEFVD]`},
	{pattern: `\d{8}-` + clockPattern, layout: "20060102-15:04:05"},
	{pattern: `\d{8}T\d{6}(?:\.\d+)?Z`, layout: "20060102T150405Z"},
	{pattern: `\d{8}T\d{6}(?:\.\d+)?`, layout: "20060102T150405"},
	{pattern: `\d\d/` + monthPattern + `/\d{4}:` + clockPattern + ` ` + zonePattern, layout: "02/Jan/2006:15:04:05 -0700"},
	{pattern: `\d\d/` + monthPattern + `/\d{4} ` + clockPattern, layout: "02/Jan/2006 15:04:05"},
	{pattern: `\d\d-` + monthPattern + `-\d{4}::` + clockPattern, layout: "02-Jan-2006::15:04:05"},
	{pattern: `\d\d-` + monthPattern + `-\d{4} ` + clockPattern, layout: "02-Jan-2006 15:04:05"},
	{pattern: dayPattern + `, \d\d ` + monthPattern + ` \d{4} ` + clockPattern + ` ` + zonePattern, layout: "Mon, 02 Jan 2006 15:04:05 -0700"},
	{pattern: dayPattern + `, \d\d ` + monthPattern + ` \d{4} ` + clockPattern + ` [A-Z]{3,4}`, layout: "Mon, 02 Jan 2006 15:04:05 MST"},
	{pattern: dayPattern + ` ` + monthPattern + ` [ \d]\d ` + clockPattern + ` \d{4}`, layout: "Mon Jan _2 15:04:05 2006"},
	{pattern: dayPattern + ` ` + monthPattern + ` [ \d]\d ` + clockPattern + ` [A-Z]{3,4} \d{4}`, layout: "Mon Jan _2 15:04:05 MST 2006"},
	{pattern: monthPattern + ` \d{1,2}, \d{4} ` + halfClock, layout: "Jan 2, 2006 3:04:05 PM"},
	{pattern: monthPattern + ` \d{1,2}, \d{4} ` + clockPattern, layout: "Jan 2, 2006 15:04:05"},
	{pattern: monthPattern + ` [ \d]\d \d{4} ` + clockPattern, layout: "Jan _2 2006 15:04:05"},
	{pattern: `\d\d ` + monthPattern + ` \d{4} ` + clockPattern, layout: "02 Jan 2006 15:04:05"},
	{pattern: `\d\d ` + monthPattern + ` ` + clockPattern, layout: "02 Jan 15:04:05"},
	{pattern: monthPattern + ` [ \d]\d ` + clockPattern, layout: "Jan _2 15:04:05"},
	{pattern: `\d{1,2}/\d{1,2}/\d{4} ` + halfClock, layout: "1/2/2006 3:04:05 PM"},
	{pattern: `\d\d/\d\d/\d{4} ` + clockPattern, layout: "01/02/2006 15:04:05"},
	{pattern: `\d\d/\d\d/\d{4} ` + clockPattern, layout: "02/01/2006 15:04:05"},
	{pattern: `\d\d/\d\d/\d\d ` + clockPattern, layout: "06/01/02 15:04:05"},
	{pattern: `\d\d\.\d\d\.\d{4} ` + clockPattern, layout: "02.01.2006 15:04:05"},
	{pattern: `\d{6} ` + clockPattern, layout: "060102 15:04:05"},
	{pattern: `\d{4} ` + clockPattern, layout: "0102 15:04:05", before: `[IWEFVD]`},
	{pattern: halfClock, layout: "3:04:05 PM"},
	{pattern: `\d{1,2}:\d\d[AP]M`, layout: "3:04PM"},
	{pattern: clockPattern, layout: "15:04:05"},
	{pattern: `\d{19}`, layout: "unix-ns"},
	{pattern: `\d{16}(?:\.\d+)?`, layout: "unix-us"},
	{pattern: `\d{13}(?:\.\d+)?`, layout: "unix-ms"},
	{pattern: `\d{10}(?:\.\d+)?(?:[eE]\+?\d+)?`, layout: "unix"},
	{pattern: `\d\.\d+[eE]\+?09`, layout: "unix"},
	{pattern: `\d{1,7}\.\d{3,9}`, layout: "s"},
	{pattern: `\d{1,9}(?:\.\d+)?`, layout: "s", counter: true},
}

// layoutOf returns the layout that fits all of the times, or "".
func layoutOf(values map[string]bool) string {
	if len(values) == 0 {
		return ""
	}
	for _, m := range spellings {
		if m.reads(values) {
			return m.layout
		}
	}
	return ""
}

// reads reports whether all times are written in this way and their days and months are valid.
func (m *spelling) reads(values map[string]bool) bool {
	re := regexp.MustCompile(`^` + m.pattern + `$`)
	for v := range values {
		if !re.MatchString(v) {
			return false
		}
	}
	l, err := parseLayout(m.layout)
	if err != nil || l.unit > 0 {
		return err == nil
	}
	for v := range values {
		if _, err := l.parse(v, time.UTC); err != nil {
			return false
		}
	}
	return true
}
