package maelstrom

import (
	"strconv"

	"etrace/tracefmt/interop"
)

// facts maps the message types of Maelstrom's Raft demonstration to the variables that a message shows of its
// sender.
var facts = map[string]func(rec *record) []interop.Field{
	"request_vote": func(*record) []interop.Field {
		return []interop.Field{interop.Text("role", "candidate")}
	},
	"request_vote_res": func(rec *record) []interop.Field {
		if !rec.body.Vote {
			return nil
		}
		return []interop.Field{interop.Text("votedFor", rec.Msg.Dest)}
	},
	"append_entries": func(rec *record) []interop.Field {
		return []interop.Field{interop.Text("role", "leader"), interop.Text("elected", rec.Node)}
	},
	"append_entries_res": func(rec *record) []interop.Field {
		if !rec.body.Success {
			return nil
		}
		return []interop.Field{interop.Text("role", "follower"), interop.Text("elected", rec.Msg.Dest)}
	},
}

// addState adds the state event that a message shows of its sender, before its send.
func (j *journal) addState(rec *record, e interop.Entry) {
	fact, known := facts[rec.body.Type]
	if !known || rec.body.Term == 0 || isClient(rec.Node) {
		return
	}
	if fields := fact(rec); fields != nil {
		e.Fields = append(fields, interop.JSON("term", strconv.AppendInt(nil, rec.body.Term, 10)))
		j.Change(e)
	}
}
