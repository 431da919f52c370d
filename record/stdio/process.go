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
	// leash is the pipe to the guard. It is closed at the latest when this process ends, and then the guard kills the
	// process.
	leash *os.File
	// stdin is written without waiting. left is the end of the pipe that the process reads, kept open to measure the
	// unread bytes.
	stdin, readEnd *os.File
	stdout         *stream
	stderr         *stream
	// backlog are the bytes that did not fit into the pipe; accepted is the number of bytes written to the pipe.
	backlog  []byte
	accepted int64
	// mark is a variable in the environment of the process, which its descendants inherit.
	mark string
	// gone is closed when the process has ended.
	gone chan struct{}
	// readers are the goroutines that read its output.
	readers sync.WaitGroup
}

// markName is the name of the variable by which descendants of a process are found after they have left its
// process group.
const markName = "ETRACE_NODE"

// start starts a process with these arguments and environment. The calling goroutine must be locked to its
// thread and outlive the process: on Linux the process dies with the thread. notify is called when there is
// output, and when the process has ended.
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
	p.leash, p.stdin, p.readEnd = leash, stdin, left
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

// drainLimit bounds the time for which the output of a killed process may stay open. A process that has left the
// process group may hold it open.
const drainLimit = 2 * time.Second

// kill kills the process and all others of its group, and returns when all their output was read.
func (p *process) kill() {
	// The guard ends last: it does the rest if this process is killed meanwhile.
	killMarked(p.mark)
	_ = p.cmd.Process.Kill()
	for _, s := range []*stream{p.stdout, p.stderr} {
		s.setLimit(maxUnread)
	}
	<-p.gone
	killMarked(p.mark)
	killGroup(p.guard.Process.Pid)
	_ = p.guard.Wait()
	closed := make(chan struct{})
	go func() {
		p.readers.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(drainLimit):
	}
}

// close closes the files of a killed process.
func (p *process) close() {
	for _, s := range []*stream{p.stdout, p.stderr} {
		s.setLimit(0)
	}
	for _, f := range []*os.File{p.leash, p.stdin, p.readEnd, p.stdout.file, p.stderr.file} {
		f.Close()
	}
	p.readers.Wait()
}

// write writes to stdin without waiting; the rest of the line stays in the backlog.
func (p *process) write(line []byte) {
	p.backlog = append(p.backlog, line...)
	p.flush()
}

// flush writes as much of the backlog as fits without waiting.
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

// readBytes returns the number of bytes that the process has read from stdin.
func (p *process) readBytes() int64 { return p.accepted - unreadBytes(p.readEnd) }

// stream is an output of a process. The lock is held from reading bytes until they are in lines, so that no byte
// is between.
type stream struct {
	file    *os.File
	mu      sync.Mutex
	partial []byte
	lines   [][]byte
	waiting int  // the number of bytes in lines
	limit   int  // the limit for waiting; reading pauses above it
	closed  bool // nothing more is read
	// printed is the number of bytes read so far; each line counts as lineCost bytes more. Reading pauses above allowed.
	printed, allowed int64
}

func newStream(file *os.File) *stream {
	return &stream{file: file, limit: maxWaiting, allowed: math.MaxInt64}
}

// setLimit sets the limit for the bytes of lines that wait; with 0 nothing more is read. It removes the limit of
// allow.
func (s *stream) setLimit(limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit, s.closed, s.allowed = limit, limit == 0, math.MaxInt64
}

// allowOutput sets the limit for the whole output, and reports whether the output exceeds it.
func (s *stream) allowOutput(allowed int64) (exceeded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed = allowed
	return s.printed > allowed
}

// maxLine bounds a line; a longer line is split. Each byte can take six bytes in a line of the journal, which
// has at most 64 MiB.
const maxLine = 8 << 20

// follow reads the output as it arrives, until the last writer closes it.
func (s *stream) follow(notify func()) {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	// Read calls the function now, and again each time that there is something to read, until it returns true.
	_ = raw.Read(func(fd uintptr) bool {
		for {
			end, full := s.read(fd)
			notify()
			if !full {
				return end
			}
			time.Sleep(time.Millisecond) // the program prints faster than the harness takes lines
		}
	})
}

// maxWaiting bounds the bytes of unread lines of a running process, mostLeft the bytes of unread lines of a
// killed process.
const maxWaiting, maxUnread = 64 << 10, 16 << 20

// read reads the available bytes without waiting, up to the limits. end is true after the last byte, full if a
// limit was reached.
func (s *stream) read(fd uintptr) (end, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var buf [16 << 10]byte
	for {
		if s.closed {
			return true, false
		}
		if s.waiting >= s.limit || s.printed > s.allowed {
			return false, true
		}
		n, again := readNow(fd, buf[:])
		switch {
		case n > 0:
			s.addBytes(buf[:n])
		case again:
			return false, false
		default:
			if len(s.partial) > 0 { // the last line of the output has no line end
				s.lines = append(s.lines, s.partial)
				s.partial = nil
			}
			return true, false
		}
	}
}

// addBytes adds bytes to the lines.
func (s *stream) addBytes(b []byte) {
	for len(b) > 0 {
		line, tail, found := bytes.Cut(b, []byte("\n"))
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
		b = tail
	}
}

// take returns the lines that have arrived since the last call.
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
