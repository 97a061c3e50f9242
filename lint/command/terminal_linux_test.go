package command

import (
	"bytes"
	"os"
	"testing"
)

// TestWidthOf checks that only a terminal is one.
func TestWidthOf(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, ok := widthOf(null); ok {
		t.Errorf("%s is a terminal", os.DevNull)
	}
	if _, ok := widthOf(new(bytes.Buffer)); ok {
		t.Error("a buffer is a terminal")
	}
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pty.Close()
	if _, ok := widthOf(pty); !ok {
		t.Error("a pseudoterminal is not a terminal")
	}
}
