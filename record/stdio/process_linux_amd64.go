package stdio

import (
	"math"
	"syscall"
)

// olderLimits are system calls that newer architectures lack.
var olderLimits = map[int64]limit{
	syscall.SYS_EPOLL_WAIT: {3, math.MaxUint32}, syscall.SYS_POLL: {2, math.MaxUint32}, syscall.SYS_SELECT: {4, 0},
}
