package shard

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
)

// Slicer reads all events of a run in order, determines which shards need each, and surveys the run for what no
// shard sees.
type Slicer struct {
	plan    *Plan
	run     *tracefmt.Run
	pass    *analyze.Survey
	unsplit bool
	shards  []int
	hasher  hasher
	sent    []Sum // by shard
	numbers []int // of all shards
	survey  Survey
	known   *Survey // nil before the end
}

// Survey is what no shard sees of the run. The reader of the whole run makes it: slice, or a shard that is
// given the whole trace.
type Survey struct {
	// Plan is the ID of the plan.
	Plan    string          `json:"plan"`
	Overall analyze.Overall `json:"overall"`
	// Rules has what is known for each rule of the plan.
	Rules []analyze.Surveyed `json:"rules"`
	// Clock finds the first event after a deadline.
	Clock Clock `json:"clock"`
	// Seen is the sum of all events.
	Seen Sum `json:"seen"`
}

// surveyed has the survey of the run, the shard of the slice, and the sum of its events. An engine that
// distributes the events of several parts of a run has several sums, and the survey apart.
type surveyed struct {
	Survey *Survey `json:"survey,omitempty"`
	Shard  int     `json:"shard"`
	Sent   Sum     `json:"sent"`
	// Seal is the sum of the other fields.
	Seal string `json:"seal"`
}

// seal returns the sum of all fields but Seal.
func (s surveyed) seal() (string, error) {
	s.Seal = ""
	return sealed.Sum(s)
}

// NewSlicer returns a slicer for a plan in mode events; properties are those of the plan.
func NewSlicer(p *Plan, properties []*analyze.Property) (*Slicer, error) {
	run, err := p.One.Run()
	if err != nil {
		return nil, err
	}
	divisions := analyze.Divide(run, properties, p.Options())
	s := &Slicer{
		plan: p, run: run, pass: analyze.NewSurvey(run, divisions, p.Options()),
		unsplit: slices.ContainsFunc(divisions, unsplit), sent: make([]Sum, p.Shards),
		survey: Survey{Plan: p.ID, Clock: newClock()},
	}
	for shard := range p.Shards {
		s.numbers = append(s.numbers, shard)
	}
	return s, nil
}

// unsplit reports whether shard 0 examines a property on the whole run.
func unsplit(d analyze.Division) bool { return !d.Settled && !d.Parted() }

// Fits rejects a run that cannot be the run of the plan, or a slice of it.
func (o *One) Fits(run *tracefmt.Run) error {
	planned, err := o.Run()
	if err == nil && !slices.EqualFunc(run.Members, planned.Members, func(a, b tracefmt.Member) bool { return a.Name == b.Name }) {
		err = errors.New("another run than that of the plan: it has other processes")
	}
	return err
}

// Run returns the run of the plan.
func (s *Slicer) Run() *tracefmt.Run { return s.run }

// Header returns the header of a slice in JSON Lines.
func (s *Slicer) Header() ([]byte, error) { return s.plan.sliceHeader() }

// Shards takes the next event of the run, and returns the shards that need it; the result is valid until the
// next call.
func (s *Slicer) Shards(e *tracefmt.Event) ([]int, error) {
	if err := s.pass.Write(e); err != nil {
		return nil, err
	}
	s.survey.Clock.add(e.Seq, s.run.TimeUnit.Units(e.Time))
	hashes := s.hasher.hash(e)
	s.survey.Seen.add(hashes)
	return s.send(hashes), nil
}

// Route is [Slicer.Shards] for an event of a part of the run, in any order, if events are alone.
func (s *Slicer) Route(e *tracefmt.Event) []int {
	s.pass.Route(e)
	return s.send(s.hasher.hash(e))
}

// send returns the shards that need the last event, and sums what they get.
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

// shardOf maps the hash of a key to a shard.
func (p *Plan) shardOf(hash uint64) int { return int(hash % uint64(p.Shards)) }

// withElement returns a set with one more element.
func withElement(set []int, element int) []int {
	if slices.Contains(set, element) {
		return set
	}
	return append(set, element)
}

// End ends the run, which declares this end, and returns what is known of it.
func (s *Slicer) End(end tracefmt.End) *Survey {
	if said := s.plan.Examined.End; said != "" {
		end = said
	}
	s.survey.Overall, s.survey.Rules = s.pass.End(end)
	s.known = &s.survey
	return s.known
}

// Forget forgets what was sent: of slices that others make, only the survey is wanted.
func (s *Slicer) Forget() { clear(s.sent) }

// Trailer returns the last line of a slice in JSON Lines: what is known of the whole run, after End, and the sum of
// the events that were sent.
func (s *Slicer) Trailer(shard int) ([]byte, error) {
	made := surveyed{s.known, shard, s.sent[shard], ""}
	var err error
	made.Seal, err = made.seal()
	if err != nil {
		return nil, err
	}
	found, err := sealed.Marshal(made)
	if err != nil {
		return nil, err
	}
	return tracefmt.SliceTrailer(s.survey.Overall.End, s.sent[shard].Events, found)
}
