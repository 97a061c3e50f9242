//go:build !windows

package child

import (
	"os"
	"os/exec"
)

// answers is the child's file descriptor.
const answers = 3

// Inherit makes f the file that Answers returns in the process that cmd starts. It is called
// last before the start, when cmd.Env is set.
func Inherit(cmd *exec.Cmd, f *os.File) error {
	cmd.ExtraFiles = []*os.File{f} // becomes answers
	return nil
}

// Answers returns the file that Inherit passed to this process.
func Answers() *os.File { return os.NewFile(answers, "answers") }
