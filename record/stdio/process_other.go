//go:build !unix

package stdio

import (
	"os"
	"syscall"
)

// There are no process groups here, and no sh: no process is started.

func groupOf(int) *syscall.SysProcAttr { return nil }

const guardScript = ""

func (p *process) pause()                             {}
func (p *process) resume()                            {}
func killMarked(string)                               {}
func killGroup(int)                                   {}
func readNow(uintptr, []byte) (n int, again bool)     { return 0, false }
func writeNow(*os.File, []byte) (n int)               { return 0 }
func unreadBytes(*os.File) int64                      { return 0 }
func (p *process) runCounts() (runs string, all bool) { return "", false }

const seesWaiting = false

func (p *process) reasonToAct() string { return "cannot be looked at; on Linux it can" }
