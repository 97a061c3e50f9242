package worker_test

import (
	"encoding/gob"
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/stack"
	"github.com/calliope-mlir/calliope/internal/host/worker"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

const variable = "CALLIOPE_TEST_WORKER"

func init() {
	worker.Serve(variable, func(q string, answers *gob.Encoder) error {
		if q == "crash" {
			panic("it was asked to")
		}
		a := ""
		if err := stack.OnLarge(func() { a = strings.ToUpper(q) }); err != nil {
			return err
		}
		return answers.Encode(a)
	})
}

func TestProcess(t *testing.T) {
	p, err := worker.Start(t.Context(), variable)
	check.NoError(t, err)
	for _, q := range []string{"one", "two"} {
		var a string
		check.NoError(t, p.Encode(q))
		check.NoError(t, p.Decode(&a))
		check.Diff(t, "answer", strings.ToUpper(q), a)
	}
	if p.Ended() {
		t.Error("it ended")
	}
	check.NoError(t, p.Encode("crash"))
	var a string
	if err := p.Decode(&a); err == nil {
		t.Errorf("it answers %q", a)
	}
	check.Diff(t, "end", "panic: it was asked to", p.End())
}

// TestStrangers starts executables that do not serve.
func TestStrangers(t *testing.T) {
	t.Setenv("CALLIOPE_TEST_STRANGER", "1")
	_, err := worker.Start(t.Context(), "CALLIOPE_TEST_NOSUCH")
	check.Error(t, err, "the child process is not one that answers requests: it ended: exit status 3")
}

func TestMain(m *testing.M) {
	if os.Getenv("CALLIOPE_TEST_STRANGER") != "" {
		os.Exit(3)
	}
	os.Exit(m.Run())
}
