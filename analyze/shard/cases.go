package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// OfCases returns the plan for the cases of suites, which the digest identifies. Such a plan has no file: each shard
// computes it, and merge reads it from the summaries.
func OfCases(tool, digest string, shards int) *Plan {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{tool, digest, strconv.Itoa(shards)}))
	return &Plan{Format: PlanFormat, Tool: tool, ID: hex.EncodeToString(sum[:16]), Mode: Cases, Shards: shards}
}

// setFromSummary sets the plan to the one in a summary of cases.
func (p *Plan) setFromSummary(s *Summary) {
	*p = Plan{Format: PlanFormat, Tool: s.Tool, ID: s.Plan, Mode: Cases, Shards: s.Of}
}

// ParseShare parses the number of a shard, from 0, and the number of shards, such as 3/64.
func ParseShare(text string) (shard, shards int, err error) {
	first, second, found := strings.Cut(text, "/")
	shard, err = strconv.Atoi(first)
	if err == nil {
		shards, err = strconv.Atoi(second)
	}
	if err != nil || !found || shards < 1 || shards > MostShards || shard < 0 || shard >= shards {
		return 0, 0, fmt.Errorf("%q: expected a shard and how many there are, 0/N to N-1/N, such as 3/64", text)
	}
	return shard, shards, nil
}
