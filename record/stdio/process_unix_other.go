//go:build unix && !linux

package stdio

import (
	"os"
	"syscall"
)

// groupOf has a process join a process group, 0 for one of its own.
func groupOf(group int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}

// unread is not known here: what is written counts as read.
func unread(*os.File) int64 { return 0 }

const seesWaiting = false

func (p *process) waiting() (runs string, all bool) { return "", false }

func (p *process) restless() string { return "cannot be looked at; on Linux it can" }
