//go:build !windows

package child

import (
	"os"
	"os/exec"
)

// answers is the child's file descriptor.
const answers = 3

// inherit makes f the file that Answers returns in the process that cmd starts. It is called
// last before the start, when cmd.Env is set.
func inherit(cmd *exec.Cmd, f *os.File) error {
	cmd.ExtraFiles = append([]*os.File{f}, cmd.ExtraFiles...) // the first one becomes answers
	return nil
}

// Answers returns the file that its parent passed to this process.
func Answers() *os.File { return os.NewFile(answers, "answers") }
