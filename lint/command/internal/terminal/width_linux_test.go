package terminal

import (
	"bytes"
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestWidth checks that only a terminal is one.
func TestWidth(t *testing.T) {
	null, err := os.Open(os.DevNull)
	check.NoError(t, err)
	defer null.Close()
	if _, ok := Width(null); ok {
		t.Errorf("%s is a terminal", os.DevNull)
	}
	if _, ok := Width(new(bytes.Buffer)); ok {
		t.Error("a buffer is a terminal")
	}
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	check.NoError(t, err)
	defer pty.Close()
	if _, ok := Width(pty); !ok {
		t.Error("a pseudoterminal is not a terminal")
	}
}
