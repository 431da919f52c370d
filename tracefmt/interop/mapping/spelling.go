package mapping

import (
	"regexp"
	"time"
)

// Spelling is a way to write a time, with its layout in a mapping. Fractions of a second are not part of the layout.
type Spelling struct {
	Pattern, Layout string
	// before is the text before the time without a blank, such as the letter of klog's level.
	Before string
	// counter is true if other numbers look the same. Such a value is a time only in a field with a usual name for
	// times.
	Counter bool
}

const (
	clockPattern = `\d\d:\d\d:\d\d(?:[.,]\d+)?`
	halfClock    = `\d{1,2}:\d\d:\d\d(?:[.,]\d+)? [AP]M`
	monthPattern = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)`
	dayPattern   = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)`
	zonePattern  = `[+-]\d{4}`
)

// Spellings are the ways to write times, the more specific first.
var Spellings = []Spelling{
	{Pattern: `\d{4}-\d\d-\d\dT` + clockPattern + `(?:Z|[+-]\d\d:\d\d)`, Layout: "rfc3339"},
	{Pattern: `\d{4}-\d\d-\d\dT` + clockPattern + zonePattern, Layout: "2006-01-02T15:04:05Z0700"},
	{Pattern: `\d{4}-\d\d-\d\dT` + clockPattern, Layout: "2006-01-02T15:04:05"},
	{Pattern: `\d{4}-\d\d-\d\d ` + clockPattern + ` ` + zonePattern + ` [A-Z]{3,4}`, Layout: "2006-01-02 15:04:05 -0700 MST"},
	{Pattern: `\d{4}-\d\d-\d\d ` + clockPattern + ` ` + zonePattern, Layout: "2006-01-02 15:04:05 -0700"},
	{Pattern: `\d{4}-\d\d-\d\d ` + clockPattern + `(?:Z|[+-]\d\d:\d\d)`, Layout: "2006-01-02 15:04:05Z07:00"},
	{Pattern: `\d{4}-\d\d-\d\d ` + clockPattern + ` (?:UTC|GMT|CES?T|[ECMP][DS]T)`, Layout: "2006-01-02 15:04:05 MST"},
	{Pattern: `\d{4}-\d\d-\d\d ` + clockPattern, Layout: "2006-01-02 15:04:05"},
	{Pattern: `\d{4}-\d\d-\d\d_` + clockPattern, Layout: "2006-01-02_15:04:05"},
	{Pattern: `\d{4}-` + monthPattern + `-\d\d ` + clockPattern, Layout: "2006-Jan-02 15:04:05"},
	{Pattern: `\d{4}/\d\d/\d\d ` + clockPattern + ` [+-]\d\d:\d\d`, Layout: "2006/01/02 15:04:05 -07:00"},
	{Pattern: `\d{4}/\d\d/\d\d ` + clockPattern, Layout: "2006/01/02 15:04:05"},
	{Pattern: `\d{4}/\d\d/\d\d-` + clockPattern, Layout: "2006/01/02-15:04:05"},
	{Pattern: `\d{4}\.\d\d\.\d\d ` + clockPattern, Layout: "2006.01.02 15:04:05"},
	{Pattern: `\d{8} ` + clockPattern, Layout: "20060102 15:04:05"},
	{Pattern: `\d{8} ` + clockPattern, Layout: "20060102 15:04:05", Before: `[IWEFVD]`},
	{Pattern: `\d{8}-` + clockPattern, Layout: "20060102-15:04:05"},
	{Pattern: `\d{8}T\d{6}(?:\.\d+)?Z`, Layout: "20060102T150405Z"},
	{Pattern: `\d{8}T\d{6}(?:\.\d+)?`, Layout: "20060102T150405"},
	{Pattern: `\d{8}-\d{6}(?:\.\d+)?`, Layout: "20060102-150405"},
	{Pattern: `\d\d/` + monthPattern + `/\d{4}:` + clockPattern + ` ` + zonePattern, Layout: "02/Jan/2006:15:04:05 -0700"},
	{Pattern: `\d\d/` + monthPattern + `/\d{4} ` + clockPattern, Layout: "02/Jan/2006 15:04:05"},
	{Pattern: `\d\d-` + monthPattern + `-\d{4}::` + clockPattern, Layout: "02-Jan-2006::15:04:05"},
	{Pattern: `\d\d-` + monthPattern + `-\d{4} ` + clockPattern, Layout: "02-Jan-2006 15:04:05"},
	{Pattern: dayPattern + `, \d\d ` + monthPattern + ` \d{4} ` + clockPattern + ` ` + zonePattern, Layout: "Mon, 02 Jan 2006 15:04:05 -0700"},
	{Pattern: dayPattern + `, \d\d ` + monthPattern + ` \d{4} ` + clockPattern + ` [A-Z]{3,4}`, Layout: "Mon, 02 Jan 2006 15:04:05 MST"},
	{Pattern: dayPattern + ` ` + monthPattern + ` [ \d]\d ` + clockPattern + ` \d{4}`, Layout: "Mon Jan _2 15:04:05 2006"},
	{Pattern: dayPattern + ` ` + monthPattern + ` [ \d]\d ` + clockPattern + ` [A-Z]{3,4} \d{4}`, Layout: "Mon Jan _2 15:04:05 MST 2006"},
	{Pattern: monthPattern + ` \d{1,2}, \d{4} ` + halfClock, Layout: "Jan 2, 2006 3:04:05 PM"},
	{Pattern: monthPattern + ` \d{1,2}, \d{4} ` + clockPattern, Layout: "Jan 2, 2006 15:04:05"},
	{Pattern: monthPattern + ` [ \d]\d \d{4} ` + clockPattern, Layout: "Jan _2 2006 15:04:05"},
	{Pattern: `\d\d ` + monthPattern + ` \d{4} ` + clockPattern, Layout: "02 Jan 2006 15:04:05"},
	{Pattern: `\d\d ` + monthPattern + ` ` + clockPattern, Layout: "02 Jan 15:04:05"},
	{Pattern: monthPattern + ` [ \d]\d ` + clockPattern, Layout: "Jan _2 15:04:05"},
	{Pattern: `\d{1,2}/\d{1,2}/\d{4} ` + halfClock, Layout: "1/2/2006 3:04:05 PM"},
	{Pattern: `\d\d/\d\d/\d{4} ` + clockPattern, Layout: "01/02/2006 15:04:05"},
	{Pattern: `\d\d/\d\d/\d{4} ` + clockPattern, Layout: "02/01/2006 15:04:05"},
	{Pattern: `\d\d/\d\d/\d\d ` + clockPattern, Layout: "06/01/02 15:04:05"},
	{Pattern: `\d\d\.\d\d\.\d{4} ` + clockPattern, Layout: "02.01.2006 15:04:05"},
	{Pattern: `\d{6} ` + clockPattern, Layout: "060102 15:04:05"},
	{Pattern: `\d{4} ` + clockPattern, Layout: "0102 15:04:05", Before: `[IWEFVD]`},
	{Pattern: halfClock, Layout: "3:04:05 PM"},
	{Pattern: `\d{1,2}:\d\d[AP]M`, Layout: "3:04PM"},
	{Pattern: `\d{1,2}:\d\d:\d\d(?:[.,]\d+)?`, Layout: "15:04:05"},
	{Pattern: `\d{19}`, Layout: "unix-ns"},
	{Pattern: `\d{16}(?:\.\d+)?`, Layout: "unix-us"},
	{Pattern: `\d{13}(?:\.\d+)?`, Layout: "unix-ms"},
	{Pattern: `\d{10}(?:\.\d+)?(?:[eE]\+?\d+)?`, Layout: "unix"},
	{Pattern: `\d\.\d+[eE]\+?09`, Layout: "unix"},
	{Pattern: `\+?\d+(?:\.\d+)?ms`, Layout: "ms"},
	{Pattern: `\+\d+(?:\.\d+)?s?|\d+(?:\.\d+)?s`, Layout: "s"},
	{Pattern: `\d{1,7}\.\d{3,9}`, Layout: "s"},
	{Pattern: `\d{1,9}(?:\.\d+)?`, Layout: "s", Counter: true},
}

// LayoutOf returns the layout that fits all of the times, or "".
func LayoutOf(values map[string]bool) string {
	if len(values) == 0 {
		return ""
	}
	for _, m := range Spellings {
		if m.reads(values) {
			return m.Layout
		}
	}
	return ""
}

// reads reports whether all times are written in this way and their days and months are valid.
func (m *Spelling) reads(values map[string]bool) bool {
	re := regexp.MustCompile(`^` + m.Pattern + `$`)
	for v := range values {
		if !re.MatchString(v) {
			return false
		}
	}
	l, err := parseLayout(m.Layout)
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
