package diagram

import "etrace/render/drawing"

// The rows of the legends of sequence and ring diagrams.
var (
	legendTooLate = &LegendRow{"lost: the receiver is down", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		end := drawing.At(at.X+10, at.Y)
		return nil, []drawing.Path{
			lifelineSample(end, lifelineDown),
			lineSample(lostLine, drawing.At(at.X-16, at.Y-3), end),
			{Style: crossMark, Strokes: saltire(end, 4.6)},
		}
	}}
	legendDropped = &LegendRow{"dropped", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		end := drawing.At(at.X+10, at.Y)
		return nil, []drawing.Path{lineSample(lostLine, drawing.At(at.X-16, at.Y-3), end), {Style: crossMark, Strokes: saltire(end, 4.6)}}
	}}
	legendAgain = &LegendRow{"received once more (duplicate)", arrowSample(duplicateLine)}
	legendOpen  = &LegendRow{"in flight when the picture ends", arrowSample(openLine)}
	// legendNotReceived is of a picture with messages whose losses may be missing.
	legendNotReceived = &LegendRow{"not received when the picture ends: in flight or lost", arrowSample(openLine)}
	legendBorder      = &LegendRow{"its other end is not shown", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		start, end := drawing.At(at.X-16, at.Y), drawing.At(at.X+16, at.Y)
		return nil, []drawing.Path{lineSample(borderLine, start, end), {Style: borderMark, Strokes: slashes(start, end)}}
	}}
	legendInferred = &LegendRow{"which of several sends arrives here is inferred", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: unsureMark, X: at.X - 2, Y: at.Y, W: 2 * unsureR, H: 2 * unsureR, Text: "?"}},
			[]drawing.Path{acrossSample(messageLine, at)}
	}}
	legendPassedOn = &LegendRow{"passed on unchanged at each dot", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: passDot, X: at.X - 5, Y: at.Y, W: 3.4, H: 3.4}, {Style: passDot, X: at.X + 4, Y: at.Y, W: 3.4, H: 3.4}},
			[]drawing.Path{acrossSample(messageLine, at)}
	}}
	legendUnderWay = &LegendRow{"sent before the partition, which does not stop it", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		line := acrossSample(messageLine, at)
		return []drawing.Node{{Style: underWayMark, X: at.X, Y: at.Y, W: 7.2, H: 7.2}}, []drawing.Path{line}
	}}
	legendUnsent = &LegendRow{"when it was sent is not recorded", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: unsentDot, X: at.X - 14, Y: at.Y, W: 2 * unsentR, H: 2 * unsentR}},
			[]drawing.Path{lineSample(messageLine, drawing.At(at.X-14+unsentR, at.Y), drawing.At(at.X+16, at.Y))}
	}}
	legendUnsure = &LegendRow{"whether it arrived is not recorded", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: unsureMark, X: at.X + 9, Y: at.Y, W: 2 * unsureR, H: 2 * unsureR, Text: "?"}},
			[]drawing.Path{lineSample(unsureLine, drawing.At(at.X-16, at.Y), drawing.At(at.X+9-unsureR, at.Y))}
	}}
	legendMissing = &LegendRow{"events in here are not recorded", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: gapBand, X: at.X, Y: at.Y, W: 2 * gapHalf, H: 18}},
			[]drawing.Path{{Style: gapLine, Strokes: [][]drawing.Point{zigzag(at.X, at.Y-9, at.Y+9)}}}
	}}
	legendUnrecorded = &LegendRow{"nothing of the process is recorded", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return nil, []drawing.Path{lifelineSample(at, lifelineUnrecorded)}
	}}
	legendNodeUnrecorded = &LegendRow{"nothing of the process is recorded", nodeSample(ringUnrecorded, 19, 19, "")}
	legendDown           = &LegendRow{"process is down", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return nil, []drawing.Path{lifelineSample(at, lifelineDown)}
	}}
	legendSilent = &LegendRow{"goes down in here, not recorded when", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return nil, []drawing.Path{lifelineSample(at, lifelineSilent)}
	}}
	legendStart   = &LegendRow{"starts", nodeSample(startMark, 9, 9, "")}
	legendCrash   = &LegendRow{"crash", pathSample(crashMark, 6)}
	legendRecover = &LegendRow{"recovery", nodeSample(recoverMark, 16, 16, "")}
	legendHalt    = &LegendRow{"halt", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		bar := drawing.Line(drawing.At(at.X-9, at.Y), drawing.At(at.X+9, at.Y))
		return nil, []drawing.Path{{Style: haltMark, Strokes: [][]drawing.Point{bar}}}
	}}
	legendTimeout = &LegendRow{"timer expires", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: timeoutMark, X: at.X, Y: at.Y, W: 15, H: 15}}, []drawing.Path{{Style: handsMark, Strokes: clockHands(at)}}
	}}
	legendSuspect  = &LegendRow{"suspicion", nodeSample(suspectMark, 17, 17, "!")}
	legendTrust    = &LegendRow{"suspicion withdrawn", nodeSample(trustMark, 11, 11, "")}
	legendElected  = &LegendRow{"learns the leader", nodeSample(stateTag, 30, 15, "= q")}
	legendLeader   = &LegendRow{"elects itself", nodeSample(leaderTag, 34, 19, "= p")}
	legendRole     = &LegendRow{"changes its role", nodeSample(stateTag, 30, 15, "role")}
	legendDecides  = &LegendRow{"decides", nodeSample(stateTag, 34, 15, "value")}
	legendLeads    = &LegendRow{"leader, by its role", nodeSample(leaderTag, 34, 19, "role")}
	legendNobody   = &LegendRow{"no longer has a leader", nodeSample(stateTag, 34, 15, "none")}
	legendValue    = &LegendRow{"changes variables", nodeSample(valueDot, valueSize, valueSize, "")}
	legendSpanOpen = &LegendRow{"goes on when the picture begins or ends", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return spanLooks[0].bar(at.X, at.Y-9, at.Y+7, false, true)
	}}
	legendInvoke  = &LegendRow{"operation begins", nodeSample(invokeMark, 13, 13, "")}
	legendReturn  = &LegendRow{"operation ends", nodeSample(returnMark, 13, 13, "")}
	legendNote    = &LegendRow{"note", nodeSample(noteMark, 8, 8, "")}
	legendCause   = &LegendRow{"happened before (no message)", arrowSample(causeLine)}
	legendFold    = &LegendRow{"time in which nothing happens, folded", foldSample}
	legendFoldLog = &LegendRow{"time in which nothing is recorded, folded", foldSample}
	// legendFoldHidden is of a picture that leaves out events.
	legendFoldHidden = &LegendRow{"time without a shown event, folded", foldSample}
	legendLevel      = &LegendRow{"causal level, not a time", nodeSample(bandBox, 32, 13, "")}
	legendSkipped    = &LegendRow{"skips crashed processes", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		a, b := drawing.At(at.X-16, at.Y+6), drawing.At(at.X+16, at.Y+6)
		bow := []drawing.Point{a, drawing.At(at.X-10, at.Y-10), drawing.At(at.X+10, at.Y-10), b}
		return []drawing.Node{{Style: processDownBox, X: at.X, Y: at.Y + 5, W: 10, H: 9}},
			[]drawing.Path{{Style: messageLine, Strokes: [][]drawing.Point{bow}}}
	}}
	legendNodeDown    = &LegendRow{"down or halted when the picture ends", nodeSample(ringDown, 18, 18, "")}
	legendNodeLeader  = &LegendRow{"leader: elected by all live processes", nodeSample(ringLeader, 19, 19, "")}
	legendNodeUnsure  = &LegendRow{"leader, as far as recorded", nodeSample(ringLeader, 19, 19, "")}
	legendNodeLeads   = &LegendRow{"leader, by its role", nodeSample(ringLeader, 19, 19, "")}
	legendNodeSelf    = &LegendRow{"self-declared leader: disputed, or of an older term", nodeSample(ringSelf, 22, 19, "")}
	legendTooLateRing = &LegendRow{"lost: the receiver is down", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		end := drawing.At(at.X+3, at.Y)
		return []drawing.Node{{Style: ringDown, X: at.X + 10, Y: at.Y, W: 12, H: 12}},
			[]drawing.Path{lineSample(lostLine, drawing.At(at.X-16, at.Y), end), {Style: crossMark, Strokes: saltire(end, 4.6)}}
	}}
	legendMixed   = &LegendRow{"messages of several types", arrowSample(messageLine)}
	legendWitness = &LegendRow{"event that shows the violation", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{
			{Style: witnessHalo, X: at.X, Y: at.Y, W: 17, H: 15},
			{Style: witnessTag, X: at.X - 8, Y: at.Y - 7, W: 12, H: 12, Text: "1"},
		}, nil
	}}
	legendCut   = &LegendRow{"cut: what is above is in it", arrowSample(cutLine)}
	legendFaint = &LegendRow{"not part of the witness", func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		p := acrossSample(messageLine, at)
		p.Faint = true
		return nil, []drawing.Path{p}
	}}
)

// legendRows lists all of them, in the order in which legends do.
var legendRows = []*LegendRow{
	legendDone, legendFailed, legendEndless, legendGoesOn, legendEffect, legendEffectPart, legendEffectSome,
	legendWrong, legendFault, legendDensity, legendLost, legendLead,
	legendIsDown, legendWentDown, legendViolation, legendTooLate, legendDropped, legendAgain, legendOpen, legendNotReceived,
	legendPassedOn, legendUnderWay, legendBorder, legendInferred,
	legendUnsent, legendUnsure, legendDown, legendSilent, legendMissing, legendUnrecorded, legendStart, legendCrash,
	legendRecover, legendHalt, legendTimeout, legendSuspect, legendTrust, legendElected, legendRole, legendDecides,
	legendNobody, legendLeader, legendLeads, legendValue,
	legendInvoke, legendReturn, legendNote, legendCause, legendFold, legendFoldLog, legendFoldHidden, legendLevel, legendSkipped,
	legendNodeDown, legendNodeUnrecorded, legendNodeLeader, legendNodeUnsure,
	legendNodeLeads, legendNodeSelf, legendTooLateRing, legendMixed, legendWitness, legendCut, legendFaint,
}

// nodeSample returns a sample of a node.
func nodeSample(style *drawing.Style, w, h float64, text string) Sample {
	return func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return []drawing.Node{{Style: style, X: at.X, Y: at.Y, W: w, H: h, Text: text}}, nil
	}
}

// pathSample returns a sample of a path: a cross.
func pathSample(style *drawing.Style, r float64) Sample {
	return func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return nil, []drawing.Path{{Style: style, Strokes: saltire(at, r)}}
	}
}

// arrowSample returns a sample of an arrow.
func arrowSample(style *drawing.Style) Sample {
	return func(at drawing.Point) ([]drawing.Node, []drawing.Path) {
		return nil, []drawing.Path{acrossSample(style, at)}
	}
}

// acrossSample returns a straight line across the place of a sample.
func acrossSample(style *drawing.Style, at drawing.Point) drawing.Path {
	return lineSample(style, drawing.At(at.X-16, at.Y), drawing.At(at.X+16, at.Y))
}

// lineSample returns a straight line.
func lineSample(style *drawing.Style, a, b drawing.Point) drawing.Path {
	return drawing.Path{Style: style, Strokes: [][]drawing.Point{drawing.Line(a, b)}}
}

// lifelineSample returns a short piece of a lifeline.
func lifelineSample(at drawing.Point, style *drawing.Style) drawing.Path {
	return lineSample(style, drawing.At(at.X, at.Y-9), drawing.At(at.X, at.Y+9))
}

// foldSample is a fold of the time axis.
func foldSample(at drawing.Point) ([]drawing.Node, []drawing.Path) {
	return nil, []drawing.Path{{Style: foldLine, Strokes: [][]drawing.Point{
		waves(at.X-16, at.X+16, at.Y-foldHalf), waves(at.X-16, at.X+16, at.Y+foldHalf),
	}}}
}
