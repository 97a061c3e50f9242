package bounded

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"1":                   1,
		"4096":                4 * KiB,
		"3KiB":                3 * KiB,
		"512MiB":              512 * MiB,
		"2 GiB":               2 * GiB,
		"8388607TiB":          8388607 * TiB,
		"9223372036854775807": math.MaxInt64,
	} {
		var got Size
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "1.5GiB", "1GB", "GiB", "8388608TiB", "9223372036854775808", "much"} {
		var got Size
		if err := got.Set(text); err == nil || !strings.Contains(err.Error(), "such as 4096 (bytes) or 512MiB") {
			t.Errorf("%q: %d, %v, want an error", text, got, err)
		}
	}
	got := map[Size]string{}
	want := map[Size]string{0: "0 bytes", 7: "7 bytes", 1025: "1025 bytes", 1 << 20: "1MiB", 3 << 29: "1536MiB",
		4 << 30: "4GiB", 1 << 50: "1024TiB"}
	for s := range want {
		got[s] = s.String()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("String (-want +got):\n%s", diff)
	}
}

// endless never ends, and counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	return len(b), nil
}

func TestRead(t *testing.T) {
	limit := Limit{3 * MiB, "-most"}
	for _, size := range []Size{0, 1, chunk - 1, chunk, chunk + 1, limit.Size - 1, limit.Size} {
		want := bytes.Repeat([]byte("x"), int(size))
		got, err := Read(iotest.HalfReader(bytes.NewReader(want)), limit)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", size, len(got), err)
		}
	}
	var e endless
	_, err := Read(&e, limit)
	if diff := cmp.Diff(&TooLargeError{Limit: limit}, err); diff != "" {
		t.Errorf("error of an endless stream (-want +got):\n%s", diff)
	}
	if want := "it is larger than 3MiB: raise -most to read it"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if e.read > int(limit.Size)+1 {
		t.Errorf("%d bytes were read", e.read)
	}
	if _, err := Read(iotest.ErrReader(os.ErrClosed), limit); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want that of the stream", err)
	}
	if got, err := Read(strings.NewReader("x"), Limit{math.MaxInt64, "-most"}); err != nil || string(got) != "x" {
		t.Errorf("without a limit: %q, %v", got, err)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	check.NoError(t, os.WriteFile(path, []byte("hello"), 0o644))
	if got, err := ReadFile(path, Limit{5, "-most"}); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := ReadFile("/proc/self/cmdline", Limit{MiB, "-most"}); runtime.GOOS == "linux" &&
		(err != nil || len(got) == 0) {
		t.Errorf("a file that does not say its size: %q, %v", got, err)
	}
	// It takes no room on the disk; to read it would take days.
	check.NoError(t, os.Truncate(path, int64(TiB)))
	_, err := ReadFile(path, Limit{GiB, "-most"})
	if want := "it takes 1TiB, and the limit is 1GiB: raise -most to read it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	for name, want := range map[string]string{dir: "is a directory", filepath.Join(dir, "absent"): "no such file"} {
		if _, err := ReadFile(name, Limit{GiB, "-most"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	if _, err := Read(io.LimitReader(&endless{}, 10), Limit{9, "-most"}); err == nil {
		t.Error("ten bytes are no more than nine")
	}
}
