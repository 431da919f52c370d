//go:build linux && !amd64

package stdio

var olderLimits map[int64]limit
