package diagram

import (
	"fmt"
	"strconv"
)

// Class says what an element of a drawing stands for; [Styles] says how it
// looks.
type Class uint8

// The classes of nodes, then those of paths.
const (
	TitleText Class = iota
	SummaryText
	WarningText
	CaptionText
	AxisText
	LegendText
	TableText
	TableHead
	RingName
	RingSmallName
	RingState
	MessageLabel
	MarkLabel
	ValueLabel
	LineLabel
	Band
	Frame
	Process
	ProcessDown
	ProcessLeader
	SendDot
	StartMark
	TimeoutMark
	SuspectMark
	TrustMark
	NoteMark
	InvokeMark
	ReturnMark
	RecoverMark
	StateTag
	LeaderTag
	WitnessHalo
	WitnessTag
	RingNode
	RingDown
	RingLeader
	RingSelf
	RingLine

	Lifeline
	LifelineDown
	Message
	Lost
	Duplicate
	Open
	CauseLine
	Cross
	CrashMark
	HaltMark
	Hands
	WideLine
	Bracket
	SendPoint
	CutLine
	lastClass
)

// Shape is the outline of a node.
type Shape uint8

// The shapes of nodes.
const (
	NoShape Shape = iota
	Rectangle
	Rounded
	Octagon
	Ellipse
	Diamond
	TriangleUp
	TriangleRight
	TriangleLeft
	Hexagon
)

// Dash is the pattern of a line.
type Dash uint8

// The patterns of lines.
const (
	Solid Dash = iota
	Dashed
	Dotted
	// Invisible lines are not drawn; the shape's filling is.
	Invisible
)

// Head is the arrowhead of a path.
type Head uint8

// The arrowheads.
const (
	NoHead Head = iota
	Filled
	Vee
	Empty
	HeadDiamond
	EmptyDiamond
	HeadBox
)

// Style is how elements of a class look. Colours are #rrggbb or #rrggbbaa,
// empty for none.
type Style struct {
	Shape  Shape
	Stroke string
	Fill   string
	// Text is the colour of the text, Size its height in points.
	Text  string
	Size  float64
	Bold  bool
	Width float64
	Dash  Dash
	// Double draws the outline twice.
	Double bool
	Head   Head
}

// The palette is that of Okabe and Ito, told apart by readers with any common
// colour vision. No meaning hangs on colour alone.
const (
	ink       = "#222222"
	grey      = "#666666"
	pale      = "#9a9a9a"
	paper     = "#ffffff"
	veil      = "#ffffffd8"
	blue      = "#0072b2"
	vermilion = "#d55e00"
	green     = "#00805e"
	orange    = "#b87400"
	purple    = "#a2478a"
	brown     = "#7a5230"
)

// Hue is the look of the messages of one type.
type Hue struct {
	Color string
	Head  Head
}

// Hues are given to message types in the order in which they first occur and
// start anew when there are more types than hues. [0] is no hue.
var Hues = [...]Hue{{}, {blue, Filled}, {green, Vee}, {vermilion, Empty}, {purple, HeadDiamond}, {orange, EmptyDiamond}, {brown, HeadBox}}

// HeadLength is how long an arrowhead is.
const HeadLength = 7.5

// Styles is indexed by Class.
var Styles = [lastClass]Style{
	TitleText:     {Text: ink, Size: 17, Bold: true},
	SummaryText:   {Text: grey, Size: 11.5},
	WarningText:   {Text: vermilion, Size: 11.5, Bold: true},
	CaptionText:   {Text: ink, Size: 12, Bold: true},
	AxisText:      {Text: grey, Size: 11},
	LegendText:    {Text: ink, Size: 10.5},
	TableText:     {Text: ink, Size: 10.5},
	TableHead:     {Text: grey, Size: 10.5, Bold: true},
	RingName:      {Text: ink, Size: 16, Bold: true},
	RingSmallName: {Text: ink, Size: 10, Bold: true},
	RingState:     {Text: ink, Size: 8.5},
	MessageLabel:  {Text: ink, Size: 10.5, Fill: veil},
	MarkLabel:     {Text: ink, Size: 10.5, Bold: true, Fill: veil},
	ValueLabel:    {Text: grey, Size: 8.5, Fill: veil},
	LineLabel:     {Text: ink, Size: 10.5, Bold: true, Fill: paper},
	Band:          {Shape: Rectangle, Dash: Invisible, Fill: "#f1f3f6"},
	Frame:         {Shape: Rectangle, Stroke: "#d8dce2", Width: 0.8},

	Process:       {Shape: Rectangle, Stroke: ink, Width: 1.2, Fill: paper, Text: ink, Size: 13, Bold: true},
	ProcessDown:   {Shape: Octagon, Stroke: pale, Width: 1.2, Dash: Dashed, Fill: "#ececec", Text: grey, Size: 13, Bold: true},
	ProcessLeader: {Shape: Rectangle, Stroke: ink, Width: 1.2, Fill: "#fdf1cf", Text: ink, Size: 13, Bold: true, Double: true},

	SendDot:     {Shape: Ellipse, Stroke: ink, Width: 0.5, Fill: ink},
	StartMark:   {Shape: Ellipse, Stroke: ink, Width: 1.2, Fill: paper},
	TimeoutMark: {Shape: Ellipse, Stroke: ink, Width: 1.2, Fill: paper},
	SuspectMark: {Shape: Diamond, Stroke: vermilion, Width: 1.4, Fill: paper, Text: vermilion, Size: 10, Bold: true},
	TrustMark:   {Shape: Diamond, Stroke: ink, Width: 1.2, Fill: ink},
	NoteMark:    {Shape: Rectangle, Stroke: grey, Width: 1, Fill: "#fff6d6"},
	InvokeMark:  {Shape: TriangleRight, Stroke: ink, Width: 1, Fill: paper},
	ReturnMark:  {Shape: TriangleLeft, Stroke: ink, Width: 1, Fill: ink},
	RecoverMark: {Shape: TriangleUp, Stroke: ink, Width: 1.4, Fill: paper},
	StateTag:    {Shape: Rounded, Stroke: blue, Width: 1.1, Fill: "#e3f0f9", Text: ink, Size: 10.5, Bold: true},
	LeaderTag:   {Shape: Rectangle, Stroke: ink, Width: 1.2, Fill: "#fdf1cf", Text: ink, Size: 10.5, Bold: true, Double: true},
	WitnessHalo: {Shape: Rounded, Stroke: vermilion, Width: 2.4},
	WitnessTag:  {Shape: Ellipse, Stroke: paper, Width: 1, Fill: vermilion, Text: paper, Size: 10.5, Bold: true},

	RingNode:   {Shape: Ellipse, Stroke: ink, Width: 1.4, Fill: paper, Text: ink, Size: 15, Bold: true},
	RingDown:   {Shape: Octagon, Stroke: grey, Width: 1.4, Dash: Dashed, Fill: "#ececec", Text: grey, Size: 15, Bold: true},
	RingLeader: {Shape: Ellipse, Stroke: ink, Width: 1.6, Fill: "#fdf1cf", Text: ink, Size: 15, Bold: true, Double: true},
	RingLine:   {Shape: Ellipse, Stroke: "#d3d7dd", Width: 1.4},
	RingSelf:   {Shape: Hexagon, Stroke: ink, Width: 1.6, Fill: "#fdf1cf", Text: ink, Size: 15, Bold: true},

	Lifeline:     {Stroke: "#7d8490", Width: 1.1},
	LifelineDown: {Stroke: "#b4bac4", Width: 1.1, Dash: Dashed},
	Message:      {Stroke: ink, Width: 1.2, Head: Filled},
	Lost:         {Stroke: ink, Width: 1.2},
	Duplicate:    {Stroke: ink, Width: 1.3, Dash: Dotted, Head: Filled},
	Open:         {Stroke: ink, Width: 1.2, Dash: Dashed, Head: Vee},
	CauseLine:    {Stroke: pale, Width: 1, Dash: Dotted},
	Cross:        {Stroke: vermilion, Width: 2},
	CrashMark:    {Stroke: ink, Width: 3.2},
	HaltMark:     {Stroke: ink, Width: 2.4},
	SendPoint:    {Stroke: ink, Width: 4.4},
	Hands:        {Stroke: ink, Width: 1.2},
	WideLine:     {Stroke: ink, Width: 1.6, Dash: Dashed},
	CutLine:      {Stroke: purple, Width: 2.4, Dash: Dashed},
	Bracket:      {Stroke: purple, Width: 1.8, Head: Filled},
}

// Faint returns the style of the same thing where it is only there to show
// where others stand.
func (s Style) Faint() Style {
	s.Stroke, s.Fill, s.Text = fade(s.Stroke), fade(s.Fill), fade(s.Text)
	s.Bold = false
	return s
}

// fade mixes a colour with much white. What is transparent stays so.
func fade(color string) string {
	const keep, of = 28, 100
	if len(color) < 7 {
		return color
	}
	out := []byte("#")
	for i := 1; i < 7; i += 2 {
		c, err := strconv.ParseUint(color[i:i+2], 16, 8)
		if err != nil {
			return color
		}
		out = fmt.Appendf(out, "%02x", 255-(255-c)*keep/of)
	}
	return string(out) + color[7:]
}
