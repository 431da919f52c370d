package tracedb

import "fmt"

// Verdict is what a check found about one property of one run: a row of the
// view verdicts.
type Verdict struct {
	Run      int
	Property string
	// Verdict is one of the words of the checker: violated, satisfied, ...
	Verdict string
	// Witness is the JSON array of the seqs that show it, "" for none.
	Witness     string
	Explanation string
	// CheckedAt is RFC 3339 wall time, "" when it is not to be kept.
	CheckedAt string
	Tool      string
}

// SaveVerdicts stores verdicts in the trace, all or none. A verdict replaces
// the one of the same run and property; [ErrNoRun] if there is no such run.
func SaveVerdicts(path string, vs []Verdict) error {
	if err := CheckFile(path); err != nil {
		return err
	}
	a, err := appendTo(path)
	if err != nil {
		return err
	}
	defer a.Discard()
	for _, v := range vs {
		if err := a.saveVerdict(&v); err != nil {
			return err
		}
	}
	return a.Commit()
}

func (a *Appender) saveVerdict(v *Verdict) error {
	known, err := a.conn.integer("SELECT count(*) FROM run WHERE run = ?1", arg(1, int64(v.Run)))
	if err != nil {
		return err
	}
	if known == 0 {
		return &Error{Path: a.path, Text: fmt.Sprintf("no run %d to save a verdict of", v.Run), Kind: ErrNoRun}
	}
	return a.conn.exec("INSERT OR REPLACE INTO verdict VALUES(?, ?, ?, ?, ?, ?, ?)", int64(v.Run), v.Property, v.Verdict,
		nullText(v.Witness), nullText(v.Explanation), nullText(v.CheckedAt), nullText(v.Tool))
}
