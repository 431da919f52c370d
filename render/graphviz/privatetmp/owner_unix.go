//go:build unix

package privatetmp

import (
	"io/fs"
	"syscall"
)

// ownedBy reports whether the directory belongs to the user and no other user may enter it.
func ownedBy(info fs.FileInfo, uid int) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(stat.Uid) == int64(uid) && info.Mode().Perm()&0o077 == 0
}
