//go:build unix

package graphviz

import "syscall"

// ownGroup keeps signals of the terminal from a child process. The parent decides what signals mean,
// and a signal may arrive before the child can ignore it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
