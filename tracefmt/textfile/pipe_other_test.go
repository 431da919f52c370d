//go:build !unix

package textfile_test

import "errors"

func makePipe(string) error { return errors.ErrUnsupported }
