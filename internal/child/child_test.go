package child_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/child"
)

func TestMain(m *testing.M) {
	if os.Getenv("CALLIOPE_TEST_CHILD") != "" {
		io.WriteString(child.Answers(), "an answer")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestInherit(t *testing.T) {
	executable, err := os.Executable()
	check.NoError(t, err)
	read, write, err := os.Pipe()
	check.NoError(t, err)
	defer read.Close()
	cmd := exec.Command(executable)
	cmd.Env = append(os.Environ(), "CALLIOPE_TEST_CHILD=1")
	check.NoError(t, child.Inherit(cmd, write))
	err = cmd.Start()
	write.Close()
	check.NoError(t, err)
	// The end of the answers is only seen if no other process holds the pipe.
	got, err := io.ReadAll(read)
	if string(got) != "an answer" || err != nil {
		t.Errorf("answers %q, error %v", got, err)
	}
	check.Report(t, cmd.Wait())
}
