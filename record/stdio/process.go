package stdio

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// process is one incarnation of a node, in a process group of its own.
type process struct {
	cmd   *exec.Cmd
	guard *exec.Cmd
	// leash is what the guard reads: it ends with this process at the latest.
	leash *os.File
	// stdin is written to without waiting. left is the end that the process reads, kept to see what it leaves there.
	stdin, left *os.File
	stdout      *stream
	stderr      *stream
	// backlog did not fit into the pipe yet; accepted is how many bytes the pipe has taken.
	backlog  []byte
	accepted int64
	// mark is a variable in the environment of the process, which its descendants inherit.
	mark string
	// gone is closed when the process has ended.
	gone chan struct{}
	// readers are the goroutines that read its output.
	readers sync.WaitGroup
}

// markName is the variable by which the descendants of a process are found that have left its process group.
const markName = "ETRACE_NODE"

// start begins a process with these arguments and environment. It must be called by a goroutine that is locked to its
// thread and outlives the
// process: on Linux the process dies with the thread. notify is called when there is output, or the process has ended.
func start(command, environment []string, notify func()) (*process, error) {
	p := &process{gone: make(chan struct{}), mark: fmt.Sprintf("%s=%d-%d", markName, os.Getpid(), rand.Uint64())}
	var opened []*os.File
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err == nil {
			opened = append(opened, r, w)
		}
		return r, w
	}
	leashEnd, leash := pipe()
	left, stdin := pipe()
	stdout, stdoutEnd := pipe()
	stderr, stderrEnd := pipe()
	fail := func(err error) (*process, error) {
		for _, f := range opened {
			f.Close()
		}
		return nil, err
	}
	if len(opened) < 8 {
		return fail(syscall.EMFILE)
	}
	p.guard = exec.Command("/bin/sh", "-c", guardScript, "sh", p.mark)
	p.guard.Stdin = leashEnd
	p.guard.SysProcAttr = groupOf(0)
	if err := p.guard.Start(); err != nil {
		return fail(err)
	}
	p.cmd = exec.Command(command[0], command[1:]...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = left, stdoutEnd, stderrEnd
	p.cmd.Env = append(append(os.Environ(), environment...), p.mark)
	p.cmd.SysProcAttr = groupOf(p.guard.Process.Pid)
	if err := p.cmd.Start(); err != nil {
		killGroup(p.guard.Process.Pid)
		_ = p.guard.Wait()
		return fail(err)
	}
	leashEnd.Close()
	stdoutEnd.Close()
	stderrEnd.Close()
	p.leash, p.stdin, p.left = leash, stdin, left
	p.stdout, p.stderr = newStream(stdout), newStream(stderr)
	for _, s := range []*stream{p.stdout, p.stderr} {
		p.readers.Go(func() { s.follow(notify) })
	}
	go func() {
		_ = p.cmd.Wait() // the state holds the exit status
		close(p.gone)
		notify()
	}()
	return p, nil
}

// ended reports whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// drained is how long the output of a process that was killed may stay open: it is held by what has left the process group.
const drained = 2 * time.Second

// kill ends the process and all others of its group, and returns when all that they printed is read.
func (p *process) kill() {
	// The guard ends last: it does the rest if this process is killed meanwhile.
	killMarked(p.mark)
	_ = p.cmd.Process.Kill()
	for _, s := range []*stream{p.stdout, p.stderr} {
		s.bound(mostLeft)
	}
	<-p.gone
	killMarked(p.mark)
	killGroup(p.guard.Process.Pid)
	_ = p.guard.Wait()
	all := make(chan struct{})
	go func() {
		p.readers.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(drained):
	}
}

// close gives the files of a process that was killed back.
func (p *process) close() {
	for _, s := range []*stream{p.stdout, p.stderr} {
		s.bound(0)
	}
	for _, f := range []*os.File{p.leash, p.stdin, p.left, p.stdout.file, p.stderr.file} {
		f.Close()
	}
	p.readers.Wait()
}

// write writes to stdin without waiting; the rest of the line stays in the backlog.
func (p *process) write(line []byte) {
	p.backlog = append(p.backlog, line...)
	p.flush()
}

// flush writes what it can of the backlog without waiting.
func (p *process) flush() {
	for len(p.backlog) > 0 {
		n := writeNow(p.stdin, p.backlog)
		if n <= 0 {
			return
		}
		p.accepted += int64(n)
		p.backlog = p.backlog[n:]
	}
}

// taken is how many bytes the process has read from stdin.
func (p *process) taken() int64 { return p.accepted - unread(p.left) }

// stream is an output of a process. Its bytes are read under the lock, so that none is read and not yet in lines.
type stream struct {
	file    *os.File
	mu      sync.Mutex
	partial []byte
	lines   [][]byte
	waiting int // bytes of them
	// most is how many bytes of lines may wait to be taken; closed: nothing more is read.
	most   int
	closed bool
	// printed is the length of all that was read, where each line counts as lineCost bytes more. Beyond allowed, reading
	// pauses.
	printed, allowed int64
}

func newStream(file *os.File) *stream {
	return &stream{file: file, most: mostWaiting, allowed: math.MaxInt64}
}

// bound sets how many bytes of lines may wait; with 0 nothing more is read. It lifts the limit on all output.
func (s *stream) bound(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most, s.closed, s.allowed = most, most == 0, math.MaxInt64
}

// allow sets how much may be printed in all, and reports whether more was printed.
func (s *stream) allow(allowed int64) (exceeded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed = allowed
	return s.printed > allowed
}

// maxLine bounds a line; what is longer comes in pieces. Each byte can take six in a line of the journal, which has at most 64 MiB.
const maxLine = 8 << 20

// follow reads what is printed as it comes, until the last writer closes it.
func (s *stream) follow(notify func()) {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	// The function is called now, and again each time that there is something to read.
	_ = raw.Read(func(fd uintptr) bool {
		for {
			end, full := s.read(fd)
			notify()
			if !full {
				return end
			}
			time.Sleep(time.Millisecond) // until lines are taken: a program may print faster than they are
		}
	})
}

// mostWaiting bounds the bytes of unread lines of a running process, mostLeft those of a killed
// process.
const mostWaiting, mostLeft = 64 << 10, 16 << 20

// read reads what is there without waiting, as far as there is room, and reports whether that was the last of it.
func (s *stream) read(fd uintptr) (end, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var buf [16 << 10]byte
	for {
		if s.closed {
			return true, false
		}
		if s.waiting >= s.most || s.printed > s.allowed {
			return false, true
		}
		n, again := readNow(fd, buf[:])
		switch {
		case n > 0:
			s.split(buf[:n])
		case again:
			return false, false
		default:
			if len(s.partial) > 0 { // its last line has no end
				s.lines = append(s.lines, s.partial)
				s.partial = nil
			}
			return true, false
		}
	}
}

func (s *stream) split(b []byte) {
	for len(b) > 0 {
		line, rest, found := bytes.Cut(b, []byte("\n"))
		s.partial = append(s.partial, line...)
		s.printed += int64(len(line))
		if found {
			s.printed += lineCost
		}
		if found || len(s.partial) > maxLine {
			s.lines = append(s.lines, bytes.TrimSuffix(s.partial, []byte("\r")))
			s.waiting += len(s.partial) + 1
			s.partial = nil
		}
		b = rest
	}
}

// take returns the lines that have come.
func (s *stream) take() [][]byte {
	if raw, err := s.file.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { s.read(fd) })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.lines
	s.lines, s.waiting = nil, 0
	return lines
}
