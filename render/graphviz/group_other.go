//go:build !unix

package graphviz

import "syscall"

func ownGroup() *syscall.SysProcAttr { return nil }
