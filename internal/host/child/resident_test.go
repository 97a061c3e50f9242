//go:build linux || windows

package child_test

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestResident(t *testing.T) {
	before := check.Must(child.Resident(os.Getpid()))
	const size = 256 << 20
	held := bytes.Repeat([]byte{1}, size)
	after := check.Must(child.Resident(os.Getpid()))
	if before <= 0 || after-before < size/2 {
		t.Errorf("the memory was %d bytes, and %d with %d more", before, after, size)
	}
	runtime.KeepAlive(held)
	_, err := child.Resident(-1)
	if err == nil {
		t.Error("a process that does not exist has memory")
	}
}
