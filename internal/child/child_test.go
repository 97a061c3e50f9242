package child_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

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
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.Command(executable)
	cmd.Env = append(os.Environ(), "CALLIOPE_TEST_CHILD=1")
	if err := child.Inherit(cmd, write); err != nil {
		t.Fatal(err)
	}
	err = cmd.Start()
	write.Close()
	if err != nil {
		t.Fatal(err)
	}
	// The end of the answers is only seen if no other process holds the pipe.
	got, err := io.ReadAll(read)
	if string(got) != "an answer" || err != nil {
		t.Errorf("answers %q, error %v", got, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
