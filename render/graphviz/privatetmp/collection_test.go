package privatetmp

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// percent reads how much the heap may grow.
func percent() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// TestPostponeCollection: only the first collection is put off, and none where
// the user or the program has said when they come.
func TestPostponeCollection(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	postponeCollection()
	if p := percent(); p != firstPercent {
		t.Errorf("before the first collection the percentage is %d, want %d", p, firstPercent)
	}
	for end := time.Now().Add(10 * time.Second); percent() != usualPercent; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("after the first collection the percentage is %d, want %d", percent(), usualPercent)
		}
	}
	postponeCollection()
	debug.SetGCPercent(300)
	for range 10 {
		runtime.GC()
		time.Sleep(time.Millisecond) // for the finalizer
	}
	if percent() != 300 {
		t.Errorf("a percentage of 300 that the program has set becomes %d", percent())
	}
	debug.SetGCPercent(50)
	if postponeCollection(); percent() != 50 {
		t.Errorf("a percentage of 50 becomes %d", percent())
	}
}
