package diagram

// legend collects which signs occur in a drawing and explains those.
type legend struct {
	used  [lastLegend]bool
	types []bool // by type number
	faint string // what is faint, if legendTable does not tell
}

// legendKey is a sign that the legend explains.
type legendKey uint8

const (
	legendTooLate legendKey = iota
	legendDropped
	legendAgain
	legendOpen
	legendStub
	legendDown
	legendStart
	legendCrash
	legendRecover
	legendHalt
	legendTimeout
	legendSuspect
	legendTrust
	legendElected
	legendLeader
	legendInvoke
	legendReturn
	legendNote
	legendCause
	legendSkipped
	legendNodeDown
	legendNodeLeader
	legendNodeSelf
	legendTooLateRing
	legendMixed
	legendWitness
	legendCut
	legendFaint
	lastLegend
)

// sample draws a sign of the legend around a point, in a place of
// sampleWidth by legendPitch.
type sample func(at Point) ([]Node, []Path)

const (
	sampleWidth = 34.0
	legendPitch = 21.0
	legendGap   = 22.0
)

// legendTable is indexed by legendKey.
var legendTable = [lastLegend]struct {
	text string
	draw sample
}{
	legendTooLate: {"lost: the receiver is down", func(at Point) ([]Node, []Path) {
		end := Point{at.X + 10, at.Y}
		return nil, []Path{lifelineSample(end, LifelineDown), lineSample(Lost, Point{at.X - 16, at.Y - 3}, end), {Class: Cross, Strokes: saltire(end, 4.6)}}
	}},
	legendDropped: {"lost on the way", func(at Point) ([]Node, []Path) {
		end := Point{at.X + 10, at.Y}
		return nil, []Path{lineSample(Lost, Point{at.X - 16, at.Y - 3}, end), {Class: Cross, Strokes: saltire(end, 4.6)}}
	}},
	legendAgain:   {"received once more (duplicate)", arrowSample(Duplicate)},
	legendOpen:    {"not received when the picture ends", arrowSample(Open)},
	legendStub:    {"sent before the picture begins", arrowSample(Duplicate)},
	legendDown:    {"process is down", func(at Point) ([]Node, []Path) { return nil, []Path{lifelineSample(at, LifelineDown)} }},
	legendStart:   {"starts", nodeSample(StartMark, 9, 9, "")},
	legendCrash:   {"crash", pathSample(CrashMark, 6)},
	legendRecover: {"recovery", nodeSample(RecoverMark, 16, 16, "")},
	legendHalt: {"halt", func(at Point) ([]Node, []Path) {
		return nil, []Path{{Class: HaltMark, Strokes: [][]Point{Line(Point{at.X - 9, at.Y}, Point{at.X + 9, at.Y})}}}
	}},
	legendTimeout: {"timer expires", func(at Point) ([]Node, []Path) {
		return []Node{{Class: TimeoutMark, X: at.X, Y: at.Y, W: 15, H: 15}}, []Path{{Class: Hands, Strokes: clockHands(at)}}
	}},
	legendSuspect: {"suspicion", nodeSample(SuspectMark, 17, 17, "!")},
	legendTrust:   {"suspicion withdrawn", nodeSample(TrustMark, 11, 11, "")},
	legendElected: {"learns who is elected", nodeSample(StateTag, 30, 15, "= q")},
	legendLeader:  {"elects itself", nodeSample(LeaderTag, 34, 19, "= p")},
	legendInvoke:  {"operation begins", nodeSample(InvokeMark, 13, 13, "")},
	legendReturn:  {"operation ends", nodeSample(ReturnMark, 13, 13, "")},
	legendNote:    {"note", nodeSample(NoteMark, 8, 8, "")},
	legendCause:   {"happened before (no message)", arrowSample(CauseLine)},
	legendSkipped: {"passes over processes that are down", func(at Point) ([]Node, []Path) {
		a, b := Point{at.X - 16, at.Y + 6}, Point{at.X + 16, at.Y + 6}
		bow := []Point{a, {at.X - 10, at.Y - 10}, {at.X + 10, at.Y - 10}, b}
		return []Node{{Class: ProcessDown, X: at.X, Y: at.Y + 5, W: 10, H: 9}}, []Path{{Class: Message, Strokes: [][]Point{bow}}}
	}},
	legendNodeDown: {"down or halted at the end", func(at Point) ([]Node, []Path) {
		return []Node{{Class: RingDown, X: at.X - 3, Y: at.Y, W: 18, H: 18}},
			[]Path{{Class: Cross, Strokes: saltire(Point{at.X + 9, at.Y - 6}, 3.5)}}
	}},
	legendNodeLeader: {"leader: elected by all live processes", nodeSample(RingLeader, 19, 19, "")},
	legendNodeSelf:   {"has elected itself, but not everybody agrees", nodeSample(RingSelf, 22, 19, "")},
	legendMixed:      {"messages of several types", arrowSample(Message)},
	legendWitness: {"event that shows the violation", func(at Point) ([]Node, []Path) {
		return []Node{
			{Class: WitnessHalo, X: at.X, Y: at.Y, W: 17, H: 15},
			{Class: WitnessTag, X: at.X - 8, Y: at.Y - 7, W: 12, H: 12, Text: "1"},
		}, nil
	}},
	legendCut: {"consistent cut: what is above has happened", arrowSample(CutLine)},
	legendFaint: {"does not matter here", func(at Point) ([]Node, []Path) {
		p := lineSample(Message, Point{at.X - 16, at.Y}, Point{at.X + 16, at.Y})
		p.Faint = true
		return nil, []Path{p}
	}},
	legendTooLateRing: {"lost: the receiver is down", func(at Point) ([]Node, []Path) {
		end := Point{at.X + 10, at.Y}
		return nil, []Path{lineSample(Lost, Point{at.X - 16, at.Y}, end), {Class: Cross, Strokes: saltire(end, 4.6)}}
	}},
}

func nodeSample(class Class, w, h float64, text string) sample {
	return func(at Point) ([]Node, []Path) {
		return []Node{{Class: class, X: at.X, Y: at.Y, W: w, H: h, Text: text}}, nil
	}
}

func pathSample(class Class, r float64) sample {
	return func(at Point) ([]Node, []Path) { return nil, []Path{{Class: class, Strokes: saltire(at, r)}} }
}

func arrowSample(class Class) sample {
	return func(at Point) ([]Node, []Path) {
		return nil, []Path{lineSample(class, Point{at.X - 16, at.Y}, Point{at.X + 16, at.Y})}
	}
}

func lineSample(class Class, a, b Point) Path {
	return Path{Class: class, Strokes: [][]Point{Line(a, b)}}
}

func lifelineSample(at Point, class Class) Path {
	return lineSample(class, Point{at.X, at.Y - 9}, Point{at.X, at.Y + 9})
}

func (l *legend) use(k legendKey) { l.used[k] = true }

func (l *legend) useType(number int) {
	for len(l.types) <= number {
		l.types = append(l.types, false)
	}
	l.types[number] = true
}

// entry is a line of the legend.
type entry struct {
	text string
	draw sample
}

// entries lists what is used: message types first, then signs.
func (l *legend) entries(names []string) []entry {
	var list []entry
	for number, used := range l.types {
		if !used {
			continue
		}
		hue := hueOf(number)
		list = append(list, entry{names[number-1], func(at Point) ([]Node, []Path) {
			p := lineSample(Message, Point{at.X - 16, at.Y}, Point{at.X + 16, at.Y})
			p.Hue = hue
			return nil, []Path{p}
		}})
	}
	for k, used := range l.used {
		if !used {
			continue
		}
		e := entry{legendTable[k].text, legendTable[k].draw}
		if legendKey(k) == legendFaint && l.faint != "" {
			e.text = l.faint
		}
		list = append(list, e)
	}
	return list
}

// draw writes the legend below y, in as many lines as it needs, and returns
// the y below it. The samples' lines go to the layer of that index, the texts
// to the same: nothing else is there.
func (l *legend) draw(d *Drawing, layer int, names []string, y float64) float64 {
	list := l.entries(names)
	if len(list) == 0 {
		return y
	}
	out := &d.Layers[layer]
	left, right := float64(margin)+10, d.Width-margin-10
	x, top := left, y
	y += 8 + legendPitch/2
	for _, e := range list {
		w := textWidth(e.text, LegendText)
		if x > left && x+sampleWidth+8+w > right {
			x = left
			y += legendPitch
		}
		nodes, paths := e.draw(Point{x + sampleWidth/2, y})
		out.Nodes = append(out.Nodes, nodes...)
		out.Paths = append(out.Paths, paths...)
		out.Nodes = append(out.Nodes, Node{Class: LegendText, X: x + sampleWidth + 6 + w/2, Y: y, W: w, H: 14, Text: e.text, Align: Left})
		x += sampleWidth + 6 + w + legendGap
	}
	y += legendPitch/2 + 8
	ground := &d.Layers[layerGround]
	ground.Nodes = append(ground.Nodes, Node{Class: Frame, X: d.Width / 2, Y: (top + y) / 2, W: d.Width - 2*margin, H: y - top})
	return y
}
