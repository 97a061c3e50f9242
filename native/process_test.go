package native

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// ensureProcess starts a process that ensures a part, prints its path and ends.
func ensureProcess(t *testing.T, p Part, stdout, stderr io.Writer) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	check.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), ensureEnv+"="+string(p))
	cmd.Stdout, cmd.Stderr = stdout, stderr
	check.NoError(t, cmd.Start())
	return cmd
}

// killProcess kills a process that ensures a part while it downloads, which leaves half of
// a file behind, and no part to be found.
func killProcess(t *testing.T, p Part, meet, half string) {
	t.Helper()
	cmd := ensureProcess(t, p, io.Discard, io.Discard)
	// Lets the orphaned download end with the test.
	t.Cleanup(func() { os.WriteFile(filepath.Join(meet, "go"), nil, 0o644) })
	if !appears(filepath.Join(meet, "started")) {
		t.Fatal("the process does not download")
	}
	check.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	if _, err := os.Stat(half); err != nil {
		t.Fatalf("no half file is left, so this test shows nothing: %v", err)
	}
	_, err := Find(p)
	check.Error(t, err, "not found")
}

// stopEnsure ensures a part in a context that is cancelled during the download, after
// which nothing but want is in the cache.
func stopEnsure(t *testing.T, p Part, cache, meet, text string, want []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		appears(filepath.Join(meet, "started"))
		cancel()
	}()
	_, err := Ensure(ctx, p, EnsureOptions{Progress: new(bytes.Buffer)})
	wantFailed(t, err, context.Canceled, cache, want, text)
}

// wantFailed wants an error that matches target and says the parts, and nothing in the
// cache but these files.
func wantFailed(t *testing.T, err, target error, cache string, left []string, parts ...string) {
	t.Helper()
	check.Error(t, err, parts...)
	if !errors.Is(err, target) {
		t.Errorf("error %v does not match %v", err, target)
	}
	check.Diff(t, "files", left, files(t, cache))
}

func TestTwoProcesses(t *testing.T) {
	cache, meet := setUp(t, "slow", "python3")
	var out [2]bytes.Buffer
	var firstErr bytes.Buffer
	first := ensureProcess(t, testPart, &out[0], &firstErr)
	if !appears(filepath.Join(meet, "started")) {
		t.Fatalf("the first process does not download: %s", firstErr.String())
	}

	r, w, err := os.Pipe()
	check.NoError(t, err)
	defer r.Close()
	second := ensureProcess(t, testPart, &out[1], w)
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	if want := "another process is fetching the test library: waiting for it\n"; err != nil || line != want {
		t.Errorf("the second process says %q (%v), want %q", line, err, want)
	}
	if _, err := Find(testPart); err == nil {
		t.Error("found before the download was done")
	}
	check.NoError(t, os.WriteFile(filepath.Join(meet, "go"), nil, 0o644))
	for i, cmd := range []*exec.Cmd{first, second} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, firstErr.String())
		}
		if got, want := strings.TrimSpace(out[i].String()), testSlot(cache).library; got != want {
			t.Errorf("process %d found %q, want %q", i, got, want)
		}
	}
	if got := downloads(t, meet); len(got) != 1 {
		t.Errorf("downloads: %q, want just one", got)
	}
	if diff := cmp.Diff(wholeCache(), files(t, cache)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestKilledProcess(t *testing.T) {
	cache, meet := setUp(t, "partial", "python3")
	killProcess(t, testPart, meet, filepath.Join(testSlot(cache).work, "wheel", testWheel))
	// Also: the orphan does not keep the lock.
	mended(t, cache)
}
