package record_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/callbacks/record"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// crashEnv makes the test program one that is killed in its third call.
const crashEnv = "CALLIOPE_RECORD_TEST_CRASH"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashEnv); path != "" {
		fmt.Fprintln(os.Stderr, crash(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func crash(path string) error {
	recorder, err := record.Create(filepath.Join(path, "calls.rec"))
	if err != nil {
		return err
	}
	trace, err := os.Create(filepath.Join(path, "trace.json"))
	if err != nil {
		return err
	}
	tracer, err := record.NewTracer(trace)
	if err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	for i := range 3 {
		fn := double
		if i == 2 {
			fn = func(*callbacks.Frame) error { return self.Kill() }
		}
		if _, err := call(tracer.Wrap(recorder.Wrap(fn)), configOf("f", 0), 0, 1, float32(i)); err != nil {
			return err
		}
	}
	return errors.New("it lives")
}

// A process that is killed leaves all its calls, the one that it died in too.
func TestCrash(t *testing.T) {
	folder := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), crashEnv+"="+folder)
	said, err := child.CombinedOutput()
	if err == nil || len(said) > 0 {
		t.Fatalf("it ended with %v and said %s", err, said)
	}
	r, err := record.Open(filepath.Join(folder, "calls.rec"))
	if err != nil || r.Torn != nil {
		t.Fatal(err, r.Torn)
	}
	var got []string
	for _, c := range r.Calls {
		got = append(got, fmt.Sprint(c.Args, " ", c.Results, " ", c.Finished))
	}
	check.Diff(t, "calls",
		[]string{"[f32[1] [0]] [f32[1] [0]] true", "[f32[1] [1]] [f32[1] [2]] true", "[f32[1] [2]] [] false"}, got)

	data, err := os.ReadFile(filepath.Join(folder, "trace.json"))
	check.NoError(t, err)
	found := tracks(t, events(t, append(data, ']')))
	check.Diff(t, "tracks", map[string][]string{"devices/device 0": {"f", "f"}, "callbacks/f": {"f", "f"}}, found)
}
