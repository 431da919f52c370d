package diagram

import "etrace/render/drawing"

// The styles of texts.
var (
	titleText     = &drawing.Style{Name: "title-text", Text: drawing.Ink, Size: 17, Bold: true}
	summaryText   = &drawing.Style{Name: "summary-text", Text: drawing.Grey, Size: 11.5}
	warningText   = &drawing.Style{Name: "warning-text", Text: drawing.Vermilion, Size: 11.5, Bold: true}
	captionText   = &drawing.Style{Name: "caption-text", Text: drawing.Ink, Size: 12, Bold: true}
	foldText      = &drawing.Style{Name: "fold-text", Text: drawing.Grey, Size: SmallestText}
	axisText      = &drawing.Style{Name: "axis-text", Text: drawing.Grey, Size: 11}
	legendText    = &drawing.Style{Name: "legend-text", Text: drawing.Ink, Size: SmallestText}
	legendMore    = &drawing.Style{Name: "legend-more", Text: drawing.Ink, Size: SmallestText}
	tableText     = &drawing.Style{Name: "table-text", Text: drawing.Ink, Size: SmallestText}
	tableHead     = &drawing.Style{Name: "table-head", Text: drawing.Grey, Size: SmallestText, Bold: true}
	ringName      = &drawing.Style{Name: "ring-name", Text: drawing.Ink, Size: 16, Bold: true}
	ringSmallName = &drawing.Style{Name: "ring-small-name", Text: drawing.Ink, Size: SmallestText, Bold: true}
	ringState     = &drawing.Style{Name: "ring-state", Text: drawing.Ink, Size: SmallestText}
	messageLabel  = &drawing.Style{Name: "message-label", Text: drawing.Ink, Size: SmallestText, Fill: drawing.Veil}
	gapLabel      = &drawing.Style{Name: "gap-label", Text: "#6b5320", Size: SmallestText, Fill: drawing.Veil}
	markLabel     = &drawing.Style{Name: "mark-label", Text: drawing.Ink, Size: SmallestText, Bold: true, Fill: drawing.Veil}
	valueLabel    = &drawing.Style{Name: "value-label", Text: drawing.Grey, Size: SmallestText, Fill: drawing.Veil}
	lineLabel     = &drawing.Style{Name: "line-label", Text: drawing.Ink, Size: SmallestText, Bold: true, Fill: drawing.Paper}
)

// The styles of what texts are in.
var (
	bandBox    = &drawing.Style{Name: "band", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#f1f3f6"}
	foldBox    = &drawing.Style{Name: "fold-box", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: drawing.Paper}
	frameBox   = &drawing.Style{Name: "frame", Shape: drawing.Rectangle, Stroke: "#d8dce2", Width: 0.8}
	processBox = &drawing.Style{
		Name: "process", Shape: drawing.Rectangle, Stroke: drawing.Ink, Width: 1.2,
		Fill: drawing.Paper, Text: drawing.Ink, Size: 13, Bold: true,
	}
	groupBox = &drawing.Style{
		Name: "group-box", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#dfe5ee", Text: drawing.Ink, Size: 11.5, Bold: true,
	}
	processDownBox = &drawing.Style{
		Name: "process-down", Shape: drawing.Octagon, Stroke: drawing.Pale, Width: 1.2,
		Dash: drawing.Dashed, Fill: "#ececec", Text: drawing.Grey, Size: 13, Bold: true,
	}
)

// The styles of marks on lifelines, and of what surrounds them.
var (
	processUnrecordedBox = &drawing.Style{
		Name: "process-unrecorded", Shape: drawing.Rectangle, Stroke: drawing.Grey,
		Width: 1.2, Dash: drawing.Dashed, Fill: drawing.Paper, Text: drawing.Grey, Size: 13, Bold: true,
	}
	sendDot      = &drawing.Style{Name: "send-dot", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 0.5, Fill: drawing.Ink}
	passDot      = &drawing.Style{Name: "pass-dot", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 0.4, Fill: drawing.Ink}
	underWayMark = &drawing.Style{Name: "under-way-mark", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 1.4, Fill: drawing.Paper}
	valueDot     = &drawing.Style{Name: "value-dot", Shape: drawing.Ellipse, Stroke: drawing.Blue, Width: 1.1, Fill: "#e3f0f9"}
	startMark    = &drawing.Style{Name: "start-mark", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 1.2, Fill: drawing.Paper}
	timeoutMark  = &drawing.Style{Name: "timeout-mark", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 1.2, Fill: drawing.Paper}
	suspectMark  = &drawing.Style{
		Name: "suspect-mark", Shape: drawing.Diamond, Stroke: drawing.Vermilion,
		Width: 1.4, Fill: drawing.Paper, Text: drawing.Vermilion, Size: SmallestText, Bold: true,
	}
	trustMark  = &drawing.Style{Name: "trust-mark", Shape: drawing.Diamond, Stroke: drawing.Ink, Width: 1.2, Fill: drawing.Ink}
	noteMark   = &drawing.Style{Name: "note-mark", Shape: drawing.Rectangle, Stroke: drawing.Grey, Width: 1, Fill: "#fff6d6"}
	invokeMark = &drawing.Style{
		Name: "invoke-mark", Shape: drawing.TriangleRight, Stroke: drawing.Ink,
		Width: 1, Fill: drawing.Paper,
	}
	returnMark  = &drawing.Style{Name: "return-mark", Shape: drawing.TriangleLeft, Stroke: drawing.Ink, Width: 1, Fill: drawing.Ink}
	recoverMark = &drawing.Style{
		Name: "recover-mark", Shape: drawing.TriangleUp, Stroke: drawing.Ink,
		Width: 1.4, Fill: drawing.Paper,
	}
	unsentDot  = &drawing.Style{Name: "unsent-dot", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 1.3, Fill: drawing.Paper}
	unsureMark = &drawing.Style{
		Name: "unsure-mark", Shape: drawing.Ellipse, Stroke: drawing.Grey, Width: 1.1,
		Fill: drawing.Paper, Text: drawing.Ink, Size: SmallestText, Bold: true,
	}
	gapBand  = &drawing.Style{Name: "gap-band", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#f3ead7"}
	stateTag = &drawing.Style{
		Name: "state-tag", Shape: drawing.Rounded, Stroke: drawing.Blue, Width: 1.1,
		Fill: "#e3f0f9", Text: drawing.Ink, Size: SmallestText, Bold: true,
	}
	leaderTag = &drawing.Style{
		Name: "leader-tag", Shape: drawing.Rectangle, Stroke: drawing.Ink, Width: 1.2,
		Fill: "#fdf1cf", Text: drawing.Ink, Size: SmallestText, Bold: true, Double: true,
	}
	witnessHalo = &drawing.Style{Name: "witness-halo", Shape: drawing.Rounded, Stroke: drawing.Vermilion, Width: 2.4}
	witnessTag  = &drawing.Style{
		Name: "witness-tag", Shape: drawing.Ellipse, Stroke: drawing.Paper, Width: 1,
		Fill: drawing.Vermilion, Text: drawing.Paper, Size: SmallestText, Bold: true,
	}
)

// The styles of the ring.
var (
	ringNode = &drawing.Style{
		Name: "ring-node", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 1.4,
		Fill: drawing.Paper, Text: drawing.Ink, Size: 15, Bold: true,
	}
	ringDown = &drawing.Style{
		Name: "ring-down", Shape: drawing.Octagon, Stroke: drawing.Grey, Width: 1.4,
		Dash: drawing.Dashed, Fill: "#ececec", Text: drawing.Grey, Size: 15, Bold: true,
	}
	ringUnrecorded = &drawing.Style{
		Name: "ring-unrecorded", Shape: drawing.Ellipse, Stroke: drawing.Grey, Width: 1.4,
		Dash: drawing.Dashed, Fill: drawing.Paper, Text: drawing.Grey, Size: 15, Bold: true,
	}
	ringLeader = &drawing.Style{
		Name: "ring-leader", Shape: drawing.Ellipse, Stroke: drawing.Ink, Width: 1.6,
		Fill: "#fdf1cf", Text: drawing.Ink, Size: 15, Bold: true, Double: true,
	}
	ringSelf = &drawing.Style{
		Name: "ring-self", Shape: drawing.Hexagon, Stroke: drawing.Ink, Width: 1.6,
		Fill: "#fdf1cf", Text: drawing.Ink, Size: 15, Bold: true,
	}
	ringLine = &drawing.Style{Name: "ring-line", Shape: drawing.Ellipse, Stroke: "#d3d7dd", Width: 1.4}
)

// The styles of graphs.
var (
	edgeLine    = &drawing.Style{Name: "edge", Stroke: "#9aa1ac", Width: 1.6}
	pointerLine = &drawing.Style{Name: "pointer", Stroke: drawing.Ink, Width: 3, Head: drawing.Filled}
	holderLine  = &drawing.Style{Name: "pointer-holder", Stroke: drawing.Blue, Width: 2.4, Head: drawing.Vee}
	lockedLine  = &drawing.Style{Name: "pointer-locked", Stroke: drawing.Vermilion, Width: 2.4, Head: drawing.HeadBox}
	queueLine   = &drawing.Style{Name: "pointer-queue", Stroke: drawing.Ink, Width: 1.3, Dash: drawing.Dotted, Head: drawing.Filled}
	laterLine   = &drawing.Style{Name: "pointer-next", Stroke: drawing.Purple, Width: 2, Dash: drawing.Dashed, Head: drawing.Vee}
	tokenMark   = &drawing.Style{Name: "token-mark", Shape: drawing.Ellipse, Stroke: drawing.Paper, Width: 1, Fill: drawing.Vermilion}
)

// The styles of bars along lifelines, by the number of the span.
var (
	spanFills = [...]*drawing.Style{
		{Name: "span-1", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: "#c3cfdd"},
		{Name: "span-2", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: drawing.Paper},
		{Name: "span-3", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: drawing.Paper},
		{Name: "span-4", Shape: drawing.Rectangle, Dash: drawing.Invisible, Fill: drawing.Ink},
	}
	spanLines = [...]*drawing.Style{
		{Name: "span-1-outline", Stroke: drawing.Ink, Width: 1.1},
		{Name: "span-2-outline", Stroke: drawing.Ink, Width: 1, Dash: drawing.Dashed},
		{Name: "span-3-outline", Stroke: drawing.Grey, Width: 1.1},
		{Name: "span-4-outline", Stroke: drawing.Ink, Width: 1},
	}
)

// The styles of lines.
var (
	lifeline           = &drawing.Style{Name: "lifeline", Stroke: "#7d8490", Width: 1.1}
	lifelineDown       = &drawing.Style{Name: "lifeline-down", Stroke: "#b4bac4", Width: 1.1, Dash: drawing.Dashed}
	lifelineSilent     = &drawing.Style{Name: "lifeline-silent", Stroke: "#7d8490", Width: 1.1, Dash: drawing.Dotted}
	lifelineUnrecorded = &drawing.Style{Name: "lifeline-unrecorded", Stroke: "#e3d3ad", Width: 5}
	gapLine            = &drawing.Style{Name: "gap-line", Stroke: "#8a6d2f", Width: 1.1}
	unsureLine         = &drawing.Style{Name: "unsure", Stroke: drawing.Ink, Width: 1.2, Dash: drawing.Dashed}
	messageLine        = &drawing.Style{Name: "message", Stroke: drawing.Ink, Width: 1.2, Head: drawing.Filled}
	lostLine           = &drawing.Style{Name: "lost", Stroke: drawing.Ink, Width: 1.2}
	duplicateLine      = &drawing.Style{Name: "duplicate", Stroke: drawing.Ink, Width: 1.3, Dash: drawing.Dotted, Head: drawing.Filled}
	openLine           = &drawing.Style{Name: "open", Stroke: drawing.Ink, Width: 1.2, Dash: drawing.Dashed, Head: drawing.Vee}
	borderLine         = &drawing.Style{Name: "border", Stroke: drawing.Ink, Width: 1.2, Dash: drawing.Dashed, Head: drawing.Filled}
	lostBorderLine     = &drawing.Style{Name: "lost-border", Stroke: drawing.Ink, Width: 1.2, Dash: drawing.Dashed}
	borderMark         = &drawing.Style{Name: "border-mark", Stroke: drawing.Ink, Width: 1.2}
	tickLine           = &drawing.Style{Name: "tick", Stroke: "#e3e6eb", Width: 0.8}
	foldLine           = &drawing.Style{Name: "fold", Stroke: drawing.Pale, Width: 1}
	causeLine          = &drawing.Style{Name: "cause-line", Stroke: drawing.Pale, Width: 1, Dash: drawing.Dotted}
	crossMark          = &drawing.Style{Name: "cross", Stroke: drawing.Vermilion, Width: 2}
	crashMark          = &drawing.Style{Name: "crash-mark", Stroke: drawing.Ink, Width: 3.2}
	haltMark           = &drawing.Style{Name: "halt-mark", Stroke: drawing.Ink, Width: 2.4}
	handsMark          = &drawing.Style{Name: "hands", Stroke: drawing.Ink, Width: 1.2}
	wideLine           = &drawing.Style{Name: "wide-line", Stroke: drawing.Ink, Width: 1.6, Dash: drawing.Dashed}
	bracketLine        = &drawing.Style{Name: "bracket", Stroke: drawing.Purple, Width: 1.8, Head: drawing.Filled}
	sendPointMark      = &drawing.Style{Name: "send-point", Stroke: drawing.Ink, Width: 4.4}
	channelBand        = &drawing.Style{Name: "channel-band", Stroke: "#ecdfe9", Width: 9}
	backwardBand       = &drawing.Style{Name: "backward-band", Stroke: "#fbe3d3", Width: 9}
	backwardEdge       = &drawing.Style{Name: "backward-edge", Stroke: drawing.Vermilion, Width: 1.6}
	cutLine            = &drawing.Style{Name: "cut-line", Stroke: drawing.Purple, Width: 2.4, Dash: drawing.Dashed}
)

// styles lists all of them, in the order in which the groups of a layer are
// written.
var styles = []*drawing.Style{
	titleText, summaryText, warningText, captionText, foldText, axisText, legendText, legendMore, tableText, tableHead, ringName,
	ringSmallName, ringState, messageLabel, markLabel, valueLabel, lineLabel, bandBox, foldBox, frameBox, processBox,
	processDownBox, sendDot, passDot, underWayMark, valueDot, startMark, timeoutMark, suspectMark, trustMark, noteMark, invokeMark, returnMark,
	recoverMark, stateTag, leaderTag, witnessHalo, witnessTag, ringNode, ringDown, ringLeader, ringSelf, ringLine,
	channelBand, backwardBand, backwardEdge, lifeline, lifelineDown, lifelineSilent, messageLine, lostLine,
	duplicateLine, openLine, borderLine, lostBorderLine, borderMark, tickLine, foldLine, causeLine, crossMark, crashMark,
	haltMark, handsMark, wideLine, bracketLine, sendPointMark, cutLine,
	gapLabel, gapBand, processUnrecordedBox, unsentDot, unsureMark, lifelineUnrecorded, gapLine, unsureLine, ringUnrecorded,
}
