// Package unrecorded lists what may have happened without a record: the needs ([analyze.Need]) by which a finding may
// be undone, or a process may be in another state than the record shows. Package analyze ignores the needs of a
// complete recording.
package unrecorded
