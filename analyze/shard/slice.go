package shard

import (
	"cmp"
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
)

// Slicer finds which shards need each event of a run, and collects facts about the whole run that no shard sees. If
// events are alone ([One.Alone]), it can read any stretches of the run. Otherwise it must read the whole run in
// order.
type Slicer struct {
	plan       *Plan
	run        *tracefmt.Run
	properties []*analyze.Property
	pass       *analyze.Survey
	unsplit    bool
	shards     []int
	hasher     hasher
	// sent has, for each shard, the sum of the events that were sent to it.
	sent      []Sum
	numbers   []int // the numbers of all shards
	stretches []*stretch
	// present is the stretch that is being read. It is nil before the first.
	present *stretch
	// known is nil until the end of the whole run.
	known *Survey
}

// Survey has the facts about the whole run that no shard sees by itself.
type Survey struct {
	// Plan is the ID of the plan.
	Plan    string          `json:"plan"`
	Overall analyze.Overall `json:"overall"`
	// Rules has the facts for each rule of the plan.
	Rules []analyze.Surveyed `json:"rules"`
	// Clock finds the first event after a deadline. Only shard 0 has it.
	Clock *Clock `json:"clock,omitempty"`
	// Seen is the sum of all events.
	Seen Sum `json:"seen"`
}

// surveyed is the last line of a slice: the survey of the run or of some stretches, the number of the shard, and the
// sum of the events in the slice. If an engine has combined the events of several parts of a run, a slice has several
// such lines.
type surveyed struct {
	Survey    *Survey    `json:"survey,omitempty"`
	Stretches []*stretch `json:"stretches,omitempty"`
	Shard     int        `json:"shard"`
	Sent      Sum        `json:"sent"`
	// Seal is the check sum of the other fields.
	Seal string `json:"seal"`
}

// seal returns the check sum of all fields except Seal.
func (s surveyed) seal() (string, error) {
	s.Seal = ""
	return sealed.Sum(s)
}

// NewSlicer returns a slicer for a plan that splits events. The properties must be those of the plan.
func NewSlicer(p *Plan, properties []*analyze.Property) (*Slicer, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	divisions := analyze.Divide(run, properties, p.Options())
	s := &Slicer{
		plan: p, run: run, properties: properties, pass: analyze.NewSurvey(run, divisions, p.Options()),
		unsplit: slices.ContainsFunc(divisions, needsWholeRun), sent: make([]Sum, p.Shards),
	}
	for shard := range p.Shards {
		s.numbers = append(s.numbers, shard)
	}
	return s, nil
}

// needsWholeRun reports whether shard 0 must examine a property in the whole run.
func needsWholeRun(d analyze.Division) bool { return !d.Settled && !d.Parted() }

// Fits rejects a run that can be neither the run of the plan nor a slice of it.
func (o *One) Fits(run *tracefmt.Run) error {
	planned, err := o.Run()
	if err == nil && !slices.EqualFunc(run.Members, planned.Members,
		func(a, b tracefmt.Member) bool { return a.Name == b.Name }) {
		err = errors.New("another run than that of the plan: it has other processes")
	}
	return err
}

// Run returns the run of the plan.
func (s *Slicer) Run() *tracefmt.Run { return s.run }

// Header returns the header of a slice in JSON Lines.
func (s *Slicer) Header() ([]byte, error) { return s.plan.sliceHeader() }

// Shards takes the next event and returns the shards that need it. The result is valid until the next call.
func (s *Slicer) Shards(e *tracefmt.Event) ([]int, error) {
	take := s.pass.Write
	if s.plan.One.Alone {
		take = s.pass.Select
	}
	switch {
	case s.present == nil:
		s.present = &stretch{Plan: s.plan.ID, First: e.Seq}
	case s.plan.One.Alone && e.Seq != s.present.Last+1:
		if err := s.endStretch(); err != nil {
			return nil, err
		}
		s.pass = analyze.NewSurvey(s.run, analyze.Divide(s.run, s.properties, s.plan.Options()), s.plan.Options())
		s.present, take = &stretch{Plan: s.plan.ID, First: e.Seq}, s.pass.Select
	}
	if err := take(e); err != nil {
		return nil, err
	}
	hashes := s.hasher.hash(e)
	s.present.add(e, s.run.TimeUnit.Units(e.Time), hashes)
	return s.send(hashes), nil
}

// endStretch ends the stretch that is being read.
func (s *Slicer) endStretch() error {
	if s.present == nil {
		return nil
	}
	s.stretches = append(s.stretches, s.present)
	return s.present.encode(s.run, s.pass.Digest())
}

// send returns the shards that need the last event, and adds the event to their sums.
func (s *Slicer) send(hashes seen) []int {
	s.shards = s.shards[:0]
	switch {
	case s.pass.Everyone():
		s.shards = append(s.shards, s.numbers...)
	case s.unsplit:
		s.shards = append(s.shards, 0)
	}
	for _, hash := range s.pass.Keys() {
		s.shards = withElement(s.shards, s.plan.shardOf(hash))
	}
	for _, shard := range s.shards {
		s.sent[shard].add(hashes)
	}
	return s.shards
}

// shardOf returns the shard of a key, given its hash.
func (p *Plan) shardOf(hash uint64) int { return int(hash % uint64(p.Shards)) }

// withElement returns the set with one more element.
func withElement(set []int, element int) []int {
	if slices.Contains(set, element) {
		return set
	}
	return append(set, element)
}

// EndStretch ends the last stretch that is read. If it is the last of the run, end and events are the end and the
// number of events that the run declares. Otherwise end is "".
func (s *Slicer) EndStretch(end tracefmt.End, events int64) error {
	err := s.endStretch()
	if end != "" {
		s.stretches = append(s.stretches, &stretch{
			Plan: s.plan.ID, First: tracefmt.Seq(events) + 1,
			Last: tracefmt.Seq(events), End: end,
		})
	}
	return err
}

// End ends the whole run with the end that it declares, and returns the survey.
func (s *Slicer) End(end tracefmt.End) (*Survey, error) {
	if !s.plan.One.Alone {
		s.known = &Survey{Plan: s.plan.ID}
		if s.present != nil {
			s.known.Clock, s.known.Seen = s.present.Clock, s.present.Seen
		}
		s.known.Overall, s.known.Rules = s.pass.End(cmp.Or(s.plan.Examined.End, end))
		return s.known, nil
	}
	events := int64(0)
	if s.present != nil {
		events = int64(s.present.Last)
	}
	err := s.EndStretch(end, events)
	if err == nil {
		s.known, err = s.plan.survey(s.run, s.properties, s.stretches)
	}
	s.stretches = nil
	return s.known, err
}

// Trailer returns the last line of a slice in JSON Lines. It contains the survey of the run after End, or otherwise
// the stretches that were read, and the sum of the sent events.
func (s *Slicer) Trailer(shard int) ([]byte, error) {
	made := surveyed{Shard: shard, Sent: s.sent[shard]}
	var end tracefmt.End
	if s.known != nil {
		survey := *s.known
		if shard != 0 {
			survey.Clock = nil
		}
		made.Survey, end = &survey, survey.Overall.End
	}
	for _, st := range s.stretches {
		copied := *st
		if shard != 0 {
			copied.Clock = nil
		}
		made.Stretches = append(made.Stretches, &copied)
	}
	var err error
	made.Seal, err = made.seal()
	if err != nil {
		return nil, err
	}
	found, err := sealed.Marshal(made)
	if err != nil {
		return nil, err
	}
	return tracefmt.SliceTrailer(end, s.sent[shard].Events, found)
}
