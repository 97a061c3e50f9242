package child_test

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/child"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

const variable = "CALLIOPE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(variable) == "print" {
		io.WriteString(child.Answers(), "an answer")
		io.WriteString(os.Stdout, "first\n"+strings.Repeat("noise\n", 100_000))
		panic("last")
	}
	child.Serve(variable, func(batch []string, answers *json.Encoder) error {
		for _, text := range batch {
			if err := answers.Encode(len(text)); err != nil {
				return err
			}
		}
		return nil
	})
	os.Exit(m.Run())
}

func TestProcess(t *testing.T) {
	p := child.New(t.Context(), []string{variable + "=print"})
	check.NoError(t, p.Start())
	// The end of the answers is only seen if no other process holds the pipe.
	got, err := io.ReadAll(p.Answers)
	if string(got) != "an answer" || err != nil {
		t.Errorf("answers %q, error %v", got, err)
	}
	check.Error(t, p.Wait(), "exit status 2")
	check.Diff(t, "cause", "panic: last", p.Cause())
	if text := p.Printed(); !strings.HasPrefix(text, "first\n") || len(text) > 100_000 || !p.Ended() {
		t.Errorf("it printed %d bytes: %.20s", len(text), text)
	}
	check.Diff(t, "quote", "; its last output was:"+strings.Repeat("\n  noise", 5), p.Quote())
}

func TestKill(t *testing.T) {
	p := child.New(t.Context(), []string{variable + "=1"})
	_, err := p.StdinPipe() // it waits for its batch
	check.NoError(t, err)
	check.NoError(t, p.Start())
	if p.Ended() {
		t.Error("it ended")
	}
	if cause := p.End(); cause != "killed" && cause != "exit status 1" { // on Windows
		t.Errorf("it ended: %s", cause)
	}
}

// TestRun gives a child a batch that is too large for an environment variable of Linux.
func TestRun(t *testing.T) {
	var got []int
	batch := []string{"a", strings.Repeat("b", 1<<20), ""}
	check.NoError(t, child.Run(t.Context(), time.Minute, variable, batch, func(n int) { got = append(got, n) }))
	check.Diff(t, "answers", []int{1, 1 << 20, 0}, got)
	err := child.Run(t.Context(), time.Minute, variable, 1, func(int) {})
	check.Error(t, err, "the process ended: exit status 1\njson: cannot unmarshal number into Go value of type []string")
}
