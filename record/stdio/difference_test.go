package stdio

import "testing"

// TestFirstDifference: where another message was printed, its receiver or type is named and not a number within.
func TestFirstDifference(t *testing.T) {
	for _, tt := range []struct{ recorded, printed, want string }{
		{`{"dest":"n1","body":{"type":"fwd","msg_id":3}}`, `{"dest":"c1","body":{"type":"ok","in_reply_to":9}}`, "dest"},
		{`{"dest":"c1","body":{"in_reply_to":3,"type":"fwd"}}`, `{"dest":"c1","body":{"in_reply_to":9,"type":"ok"}}`, "body.type"},
		{`{"dest":"c1","body":{"type":"ok","id":3}}`, `{"dest":"c1","body":{"type":"ok","id":9}}`, "body.id"},
	} {
		if path, _ := new(Node).equal(tt.recorded, tt.printed); path != tt.want {
			t.Errorf("%s and %s differ first in %s, expected %s", tt.recorded, tt.printed, path, tt.want)
		}
	}
}
