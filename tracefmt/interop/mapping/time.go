package mapping

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones by name, also where the machine has none

	"etrace/tracefmt/text"
)

// clock parses the times of a log.
type clock struct {
	from    *template
	layouts []layout // the first that fits counts
	// seeks is how many times a layout may still be found by the spelling of a time, if the mapping has none.
	seeks int
	zone  *time.Location
	doubt string // what is odd about the times, "" for nothing
	// last is the latest text and its time, because several lines often have the same time, and the time of a line is
	// needed several times.
	last struct {
		text string
		time time.Time
	}
}

// maxSeeks bounds the search for layouts, which takes long.
const maxSeeks = 8

// layout is a way to write times.
type layout struct {
	text string
	// unit is the unit of a time that is a number, and text is then its name. Otherwise unit is 0.
	unit time.Duration
}

// units are the layouts for times that are numbers, since 1970 or since the start.
var units = map[string]time.Duration{
	"unix": time.Second, "unix-ms": time.Millisecond, "unix-us": time.Microsecond, "unix-ns": time.Nanosecond,
	"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond,
}

// named are the layouts with names. The case of a name does not matter.
var named = map[string]string{
	"rfc3339": time.RFC3339Nano, "rfc3339nano": time.RFC3339Nano, "iso8601": time.RFC3339Nano,
	"datetime": time.DateTime, "ansic": time.ANSIC, "rfc1123": time.RFC1123, "rfc1123z": time.RFC1123Z,
	"rfc822": time.RFC822, "rfc822z": time.RFC822Z, "rfc850": time.RFC850, "unixdate": time.UnixDate,
}

// setLayouts sets the layouts of the times.
func (c *clock) setLayouts(names []string) error {
	c.layouts, c.seeks = nil, 0
	for _, text := range names {
		l, err := parseLayout(text)
		if err != nil {
			return err
		}
		c.layouts = append(c.layouts, l)
	}
	return nil
}

// parseLayout parses the layout in a mapping.
func parseLayout(text string) (l layout, err error) {
	if unit, ok := units[text]; ok {
		return layout{text, unit}, nil
	}
	if known, ok := named[strings.ToLower(text)]; ok {
		text = known
	}
	example := time.Date(1999, 11, 12, 13, 14, 16, 123456789, time.UTC).Format(text)
	if example == text || !strings.ContainsAny(text, "0123456789") {
		return l, fmt.Errorf(
			"layout %q, expected one such as 2006-01-02 15:04:05.000 (that moment, written as the log would), rfc3339, "+
				"rfc1123, ansic, unix, unix-ms, unix-us, unix-ns, s, ms, us or ns",
			text,
		)
	}
	return layout{text: text}, nil
}

// setZone sets the time zone for times without one.
func (c *clock) setZone(name string) error {
	if offset, err := time.Parse("-07:00", name); err == nil {
		c.zone = offset.Location()
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" {
		return fmt.Errorf("unknown zone %q, expected UTC, an offset such as +02:00, or a name such as Europe/Berlin", name)
	}
	c.zone = zone
	return nil
}

// at returns the time of a record, or the zero time.
func (c *clock) at(r *record) (time.Time, error) {
	text, ok := c.from.text(r)
	if !ok || text == "" {
		return time.Time{}, nil
	}
	if text == c.last.text {
		return c.last.time, nil
	}
	l, t, err := c.read(text)
	if err == nil {
		c.last.text, c.last.time = text, t
		if c.doubt == "" && l.early(t) {
			c.doubt = l.meant(text)
		}
	}
	return t, err
}

// read returns the time of a text by the first layout that fits. A later layout goes before one by which the time is of
// 1970: ready mappings list several units.
func (c *clock) read(text string) (fits *layout, t time.Time, err error) {
	for i := range c.layouts {
		l := &c.layouts[i]
		read, failed := l.parse(text, c.zone)
		switch {
		case failed != nil && fits == nil:
			err = failed
		case failed == nil && (fits == nil || read.UTC().Year() != 1970):
			fits, t, err = l, read, nil
		}
		if fits != nil && !fits.early(t) {
			break
		}
	}
	// The search compiles many patterns, so it ends where times have no layout.
	if fits == nil && c.seeks > 0 {
		c.seeks--
		if l, failed := parseLayout(LayoutOf(map[string]bool{text: true})); failed == nil {
			c.layouts = append(c.layouts, l)
			return c.read(text)
		}
	}
	if fits == nil && err == nil {
		err = fmt.Errorf("the time %q, expected it in a known layout", text)
	}
	return fits, t, err
}

// early reports whether a time counted since 1970 is in 1970, which shows that the unit is probably wrong.
func (l *layout) early(t time.Time) bool {
	return l.unit > 0 && strings.HasPrefix(l.text, "unix") && t.Unix() != 0 && t.UTC().Year() == 1970
}

// meant returns the layout with which the number would be a recent time, or "".
func (l *layout) meant(text string) string {
	for _, name := range [...]string{"unix", "unix-ms", "unix-us", "unix-ns"} {
		n, ok := nanoseconds(text, units[name])
		if year := time.Unix(0, n).UTC().Year(); ok && year >= 2000 && year < 2050 {
			return fmt.Sprintf("by the layout %s the time %q is of 1970, by %s it is of %d: is that meant?", l.text, text, name, year)
		}
	}
	return ""
}

// parse parses a time.
func (l *layout) parse(text string, zone *time.Location) (time.Time, error) {
	if l.unit == 0 {
		t, err := time.ParseInLocation(l.text, text, zone)
		if err != nil {
			return t, fmt.Errorf("the time %q, expected one such as %s", text, time.Date(2006, 1, 2, 15, 4, 5, 0, zone).Format(l.text))
		}
		return t, nil
	}
	n, ok := nanoseconds(strings.TrimSuffix(strings.TrimPrefix(text, "+"), l.text), l.unit) // +1.5s and 1500ms
	if !ok {
		return time.Time{}, fmt.Errorf("the time %q, expected a number", text)
	}
	return time.Unix(0, n), nil
}

// nanoseconds converts a decimal number of units to nanoseconds.
func nanoseconds(text string, unit time.Duration) (n int64, ok bool) {
	text = withoutExponent(text)
	seconds, fraction, _ := strings.Cut(text, ".")
	count, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || count > math.MaxInt64/int64(unit) || count < math.MinInt64/int64(unit) || strings.Trim(fraction, "0123456789") != "" {
		f, err := strconv.ParseFloat(text, 64)
		f *= float64(unit)
		return int64(f), err == nil && math.Abs(f) < math.MaxInt64
	}
	n = count * int64(unit)
	part := int64(0)
	for scale := int64(unit) / 10; scale > 0 && fraction != ""; scale /= 10 {
		part += int64(fraction[0]-'0') * scale
		fraction = fraction[1:]
	}
	if strings.HasPrefix(seconds, "-") {
		part = -part
	}
	return n + part, true
}

// withoutExponent writes a number such as 1.8e+09 without an exponent, because a float64 would lose digits. It
// returns other texts unchanged.
func withoutExponent(text string) string {
	mantissa, exponent, ok := strings.Cut(strings.ToLower(text), "e")
	units, fraction, _ := strings.Cut(mantissa, ".")
	shift, err := strconv.Atoi(exponent)
	if !ok || err != nil || shift < 0 || shift > 18 {
		return text
	}
	fraction += strings.Repeat("0", max(0, shift-len(fraction)))
	return units + fraction[:shift] + "." + fraction[shift:]
}

// maxTimeless is the greatest number of listed lines without a time.
const maxTimeless = 5

// noticeTime notes the time of the current record, which is an event of the process.
func (l *log) noticeTime(process string, at time.Time) {
	switch {
	case l.time == nil || l.again:
	case at.IsZero():
		if l.timelessCount++; len(l.timeless) < maxTimeless {
			l.timeless = append(l.timeless, l.reading.Place(l.rec.line))
		}
	default:
		l.timed = true
		if l.latest == nil {
			l.latest = make(map[string]time.Time)
		}
		if latest, ok := l.latest[process]; !ok || at.After(latest) {
			l.latest[process] = at
		}
	}
}

// noteTimes notes lines without a time, if other lines have one, and times that may be misread. For ready mappings,
// lines without a time are normal.
func (l *log) noteTimes() {
	if l.time == nil {
		return
	}
	if l.time.doubt != "" {
		l.reading.Note("%s", l.time.doubt)
	}
	if l.timelessCount == 0 || !l.timed || l.ready {
		return
	}
	places := l.timeless
	if more := l.timelessCount - len(places); more > 0 {
		places = append(places, fmt.Sprintf("%d more", more))
	}
	l.reading.Note("%s that are events have no time (%s): they are placed between their neighbours",
		text.Counted(l.timelessCount, "line", "lines"), text.And(places))
}
