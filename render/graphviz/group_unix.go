//go:build unix

package graphviz

import "syscall"

// ownGroup keeps signals of the terminal from a process: the one that started it decides what they mean, and they may
// come before the other can ignore them.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
