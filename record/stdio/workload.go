package stdio

import (
	"math/rand/v2"
	"strconv"
	"time"

	"etrace/tracefmt/text"
)

// Workload defines the requests of clients.
type Workload struct {
	Name string
	Doc  string
	// request returns the body of the k-th request of all clients, from 0, without msg_id.
	request func(k int, random *rand.Rand) map[string]any
	// topology is true if each node gets a list of its neighbours before the first request.
	topology bool
	// final is the type of the request that each client sends when the run is at rest, "" for none.
	final string
}

// Key returns the name, for a [text.Registry].
func (w Workload) Key() string { return w.Name }

// Check implements [text.Checked]; every workload is complete.
func (w Workload) Check() error { return nil }

const (
	// pace is the mean time between two requests of a client.
	pace = 100 * time.Millisecond
	// patience is the time for which a client waits for an answer. After that the outcome of the request is unknown.
	patience = time.Second
	// registers is the number of keys of lin-kv, values the number of their values.
	registers, values = 4, 5
)

// Workloads are the workloads of Maelstrom, doc/workloads.md.
var Workloads = text.NewRegistry("workload",
	Workload{
		Name: "broadcast", Doc: "broadcast(message), which all nodes are to get, and read", topology: true, final: "read",
		request: func(k int, random *rand.Rand) map[string]any {
			if random.IntN(2) == 0 {
				return map[string]any{"type": "read"}
			}
			return map[string]any{"type": "broadcast", "message": k}
		},
	},
	Workload{Name: "echo", Doc: "echo(echo), which the node returns", request: func(k int, _ *rand.Rand) map[string]any {
		return map[string]any{"type": "echo", "echo": "Please echo " + strconv.Itoa(k)}
	}},
	Workload{
		Name: "g-set", Doc: "add(element) to a set that grows, and read", final: "read",
		request: func(k int, random *rand.Rand) map[string]any {
			if random.IntN(2) == 0 {
				return map[string]any{"type": "read"}
			}
			return map[string]any{"type": "add", "element": k}
		},
	},
	Workload{
		Name: "lin-kv", Doc: "read(key), write(key, value) and cas(key, from, to) of linearizable registers",
		request: func(_ int, random *rand.Rand) map[string]any {
			body := map[string]any{"key": random.IntN(registers)}
			switch random.IntN(4) {
			case 0:
				body["type"], body["value"] = "write", random.IntN(values)
			case 1:
				body["type"], body["from"], body["to"] = "cas", random.IntN(values), random.IntN(values)
			default:
				body["type"] = "read"
			}
			return body
		},
	},
	Workload{Name: "unique-ids", Doc: "generate, which returns an id that no other answer has", request: func(int, *rand.Rand) map[string]any {
		return map[string]any{"type": "generate"}
	}},
)
