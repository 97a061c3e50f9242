//go:build linux || darwin

package command_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint/command"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// TestEndless checks files that never end, between good ones.
func TestEndless(t *testing.T) {
	dir := t.TempDir()
	first, last := writeFile(t, dir, "first.mlir", hook), writeFile(t, dir, "last.mlir", hook)
	pipe := filepath.Join(dir, "pipe")
	check.NoError(t, syscall.Mkfifo(pipe, 0o600))
	// The goroutine that waits for a writer ends with the test.
	defer func() {
		if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			w.Close()
		}
	}()
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"a device", []string{"-max-module", "8MiB", "/dev/zero"}, "/dev/zero:1:1: error: cannot be read: it is larger than 8MiB: raise -max-module to read it [invalid]\n"},
		{"a device, late", []string{"-max-module", "1024TiB", "-timeout", "100ms", "/dev/zero"}, "/dev/zero:1:1: error: reading took longer than 100ms and was stopped: raise -timeout [invalid]\n"},
		{"a pipe without a writer", []string{"-timeout", "1s", pipe},
			pipe + ":1:1: error: reading took longer than 1s and was stopped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := len(test.args) - 1
			args := append(test.args[:n:n], first, test.args[n], last)
			execute("", args...).holds(t, 2, first+":2:8", first+":3:8", test.want, last+":2:8", last+":3:8")
		})
	}
}

// TestEndlessInput checks standard inputs that never end: one without data, and one with data
// that comes fast.
func TestEndlessInput(t *testing.T) {
	r, w, err := os.Pipe()
	check.NoError(t, err)
	defer w.Close()
	defer r.Close()
	for name, test := range map[string]struct {
		stdin io.Reader
		args  []string
		want  string
	}{
		"nothing comes": {r, []string{"-timeout", "200ms"},
			"<stdin>:1:1: error: reading took longer than 200ms and was stopped"},
		"too much": {zeros{}, []string{"-max-module", "2MiB"},
			"<stdin>:1:1: error: cannot be read: it is larger than 2MiB: raise -max-module"},
		"too much, late": {zeros{}, []string{"-max-module", "1024TiB", "-timeout", "200ms"},
			"<stdin>:1:1: error: reading took longer than 200ms and was stopped"},
		"an error": {iotest.ErrReader(io.ErrNoProgress), nil,
			"<stdin>:1:1: error: cannot be read: " + io.ErrNoProgress.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			exit := command.Run(test.args, test.stdin, &stdout, &stderr, rules.All())
			result{exit, stdout.String(), stderr.String()}.holds(t, 2, test.want)
		})
	}
}

// A zeros reader returns zeros forever.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestTooLarge checks that a file is not read if its size is over the limit.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	large := writeFile(t, dir, "large.mlir", hook)
	check.NoError(t, os.Truncate(large, 1<<40))
	small := writeFile(t, dir, "small.mlir", hook)
	execute("", dir).holds(t, 2,
		large+":1:1: error: cannot be read: it takes 1TiB, and the limit is 1GiB: raise -max-module to read it [invalid]\n",
		small+":2:8")
	execute("", "-max-module", "10", small).holds(t, 2,
		small+":1:1: error: cannot be read: it takes 181 bytes, and the limit is 10 bytes: raise -max-module")
}

// TestPipe checks a pipe that only the command's own process has open.
func TestPipe(t *testing.T) {
	r, w, err := os.Pipe()
	check.NoError(t, err)
	defer r.Close()
	if _, err := w.WriteString(hook); err != nil {
		t.Fatal(err)
	}
	w.Close()
	name := fmt.Sprintf("/dev/fd/%d", r.Fd())
	execute("", name).holds(t, 1, name+":2:8: error: stablehlo.create_token")
}
