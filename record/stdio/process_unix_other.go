//go:build unix && !linux

package stdio

import (
	"os"
	"syscall"
)

// guardScript waits for the end of its input and then kills its process group. The guard is a separate process
// of sh, so that it is not killed together with etrace.
const guardScript = "read -r _; kill -KILL 0"

// pause stops the process alone: its descendants are unknown here. resume continues it.
func (p *process) pause()  { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) resume() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// killMarked does nothing: environments cannot be read here.
func killMarked(string) {}

// groupOf has a process join a process group, 0 for one of its own.
func groupOf(group int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}

// unreadBytes returns 0: the number is unknown here, so written bytes count as read.
func unreadBytes(*os.File) int64 { return 0 }

const seesWaiting = false

func (p *process) runCounts() (runs string, all bool) { return "", false }

func (p *process) reasonToAct() string { return "cannot be looked at; on Linux it can" }
