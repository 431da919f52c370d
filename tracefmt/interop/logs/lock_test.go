package logs_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/readings"
)

// lockLog is a log in which two processes hold locks at the same time.
func lockLog(line func(process, verb, lock string) string, first, second string) string {
	var log strings.Builder
	for i, step := range [][3]string{
		{"a1", "acquired", first},
		{"a2", "acquired", second},
		{"a1", "released", first},
		{"a2", "released", second},
	} {
		fmt.Fprintf(&log, line(step[0], step[1], step[2])+"\n", i+1)
	}
	return log.String()
}

// locksOf are the locks of the notes in a log, as it is read by the mapping guessed from it.
func locksOf(t *testing.T, log string) string {
	t.Helper()
	m := readings.Guess(t, []string{"x.log", log})
	if strings.Contains(m, "nothing is understood") {
		return "none"
	}
	run, _ := readings.Read(t, m, "x.log", log)
	var locks []string
	for e := range run.Events(1) {
		name, _ := e.Field("lock")
		locks = append(locks, e.Type+" "+strings.Trim(string(name), `"`))
	}
	return strings.Join(locks, ", ")
}

// TestLockNames: whatever names the lock of a line, two locks are two.
func TestLockNames(t *testing.T) {
	for _, words := range []string{
		"lock for key=%s", "lock on %s", "lock resource=%s", "lock '%s'", "lock [%s]", "lock (%s)", "lock %s", "lock: %s", "lock=%s",
		"the lock for %s", "lock name=%s", "mutex %s", "lock on resource %s", "lock for shard %s", "%s lock", "lock on key '%s'",
		"lock (key=%s)", "lock of %s", "lock id=%s", "lock path=%s", "lock(name=%s)", "(lock=%s)",
	} {
		for _, names := range [][2]string{{"users", "orders"}, {"res-1", "res-2"}, {"/a/b", "/a/c"}} {
			log := lockLog(func(process, verb, lock string) string {
				return "2026-05-01T10:00:0%d.000Z " + process + ": " + verb + " " + fmt.Sprintf(words, lock)
			}, names[0], names[1])
			want := fmt.Sprintf("enter %s, enter %s, exit %[1]s, exit %[2]s", names[0], names[1])
			if got := locksOf(t, log); got != want {
				t.Errorf("got %s, want %s in\n%s", got, want, log)
			}
		}
	}
}

// TestLockFields: a field of a line may name its lock. A field of a usual name for something else does not, and of
// another that could be either, the lines are not taken.
func TestLockFields(t *testing.T) {
	const two, single = "enter x, enter y, exit x, exit y", "enter , enter , exit , exit "
	for key, want := range map[string]string{
		"key": two, "name": two, "object": two, "shard": two, "path": two, "table": two, "lock": two, "lock_id": two, "lockName": two,
		"resource": two, "thread": single, "owner": single, "flavour": "none",
	} {
		log := lockLog(func(process, verb, lock string) string {
			return `{"time":"2026-05-01T10:00:0%d.000Z","node":"` + process + `","msg":"lock ` + verb + `","` + key + `":"` + lock + `"}`
		}, "x", "y")
		if got := locksOf(t, log); got != want {
			t.Errorf("%s: got %s, want %s", key, got, want)
		}
	}
}

// TestLockEvidence: processes that share the values of an unknown field, one after another, show that it names locks.
func TestLockEvidence(t *testing.T) {
	var log strings.Builder
	for i, step := range []string{
		"a1 acquired x", "a2 acquired y", "a1 released x", "a1 acquired z", "a2 released y",
		"a2 acquired x", "a1 released z",
	} {
		part := strings.Fields(step)
		fmt.Fprintf(&log, `{"time":"2026-05-01T10:00:0%d.000Z","node":%q,"msg":"lock %s","flavour":%q}`+"\n", i, part[0], part[1], part[2])
	}
	if got, want := locksOf(t, log.String()), "enter x, enter y, exit x, enter z, exit y, enter x, exit z"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLockUnknown: lines that differ in an unknown word are about no known lock, and a comment of the guess has a note.
func TestLockUnknown(t *testing.T) {
	log := "10:00:01 a1: started\n10:00:01 a2: started\n10:00:02 a1: acquired lock mode alpha\n10:00:03 a2: acquired lock mode beta\n" +
		"10:00:04 a1: released lock\n10:00:05 a2: released lock\n"
	m := readings.Guess(t, []string{"x.log", log})
	if strings.Contains(m, "note: enter") || !strings.Contains(m, "# - locks: the lines that enter") {
		t.Error(m)
	}
	bare := "10:00:00 started\n10:00:01 alice acquired lock\n10:00:02 bob acquired lock\n10:00:03 alice released " +
		"lock\n10:00:04 bob released lock\n"
	if m := readings.Guess(t, []string{"x.log", bare}); strings.Contains(m, "note: enter") {
		t.Error(m)
	}
	same := strings.NewReplacer("alpha", "beta").Replace(log)
	if m := readings.Guess(t, []string{"x.log", same}); !strings.Contains(m, "note: enter") {
		t.Error(m)
	}
}

// TestLockVerbs: entries and exits are read in many wordings, each with the name of the lock.
func TestLockVerbs(t *testing.T) {
	for _, verbs := range [][2]string{
		{"lock on %s acquired", "lock on %s released"},
		{"lock for %s is granted", "lock for %s was freed"},
		{"locked %s", "unlocked %s"},
		{"Acquire(lock=%s) ok", "Release(lock=%s) ok"},
		{"acquire lock %s: done", "release lock %s: done"},
		{"lock_acquired key=%s", "lock_released key=%s"},
		{"LockAcquired key=%s", "LockReleased key=%s"},
	} {
		log := lockLog(func(process, verb, lock string) string {
			words := verbs[0]
			if verb == "released" {
				words = verbs[1]
			}
			return "2026-05-01T10:00:0%d.000Z " + process + ": " + fmt.Sprintf(words, lock)
		}, "users", "orders")
		if got, want := locksOf(t, log), "enter users, enter orders, exit users, exit orders"; got != want {
			t.Errorf("got %s, want %s in\n%s", got, want, log)
		}
	}
}

// TestLockAttempts: without a request or a result, acquire(lock) may be the attempt to enter. Attempts that do not
// overlap show that entries do not either; attempts that overlap show nothing.
func TestLockAttempts(t *testing.T) {
	const apart = "a1: acquire(lock=x)\na1: release(lock=x)\na2: acquire(lock=x)\na2: release(lock=x)\n"
	const overlap = "a1: acquire(lock=x)\na2: acquire(lock=x)\na1: release(lock=x)\na2: release(lock=x)\n"
	for log, want := range map[string]string{
		apart:   "enter , exit , enter , exit ",
		overlap: "none",
		"a1: request(lock=x)\na2: request(lock=x)\n" + overlap: "request , request , enter , enter , exit , exit ",
		strings.ReplaceAll(overlap, ")", ") ok"):               "enter , enter , exit , exit ",
		overlap + "a1: acquired lock x\na1: released lock x\n": "exit , exit , enter , exit ",
	} {
		if got := locksOf(t, log); got != want {
			t.Errorf("got %s, want %s in\n%s", got, want, log)
		}
	}
}

// TestLocksLikeArticles: a lock may be called a, where the word has a key, quotes, or the last place.
func TestLocksLikeArticles(t *testing.T) {
	for _, form := range []string{"lock key=%s", "lock %s", "lock %q", "lock name=%s", "lock on %s"} {
		var b strings.Builder
		for i, line := range []string{"n1: acquired a", "n2: acquired b", "n1: released a", "n2: released b"} {
			words, lock := line[:len(line)-2], line[len(line)-1:]
			fmt.Fprintf(&b, "2026-01-01T10:00:0%d.000Z %s "+form+"\n", i, words, lock)
		}
		if m := readings.Guess(t, []string{"x.log", b.String()}); !strings.Contains(m, "lock: ") {
			t.Errorf("%s: no lock is named\n%s", form, m)
		}
	}
}
