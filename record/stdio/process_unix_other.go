//go:build unix && !linux

package stdio

import (
	"os"
	"syscall"
)

// guardScript waits for the end of its input and then kills its process group. A program of its own cannot be killed
// together with etrace, and sh is where programs run.
const guardScript = "read -r _; kill -KILL 0"

// pause stops the process alone: its descendants are not known here. resume has it go on.
func (p *process) pause()  { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }
func (p *process) resume() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// killMarked does nothing: environments cannot be read here.
func killMarked(string) {}

// groupOf has a process join a process group, 0 for one of its own.
func groupOf(group int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}

// unread is not known here: what is written counts as read.
func unread(*os.File) int64 { return 0 }

const seesWaiting = false

func (p *process) waiting() (runs string, all bool) { return "", false }

func (p *process) restless() string { return "cannot be looked at; on Linux it can" }
