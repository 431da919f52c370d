// Package raft has the properties of replicated logs, as in Raft: entries, commit indexes, and the leaders of terms.
package raft
