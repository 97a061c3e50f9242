//go:build !windows

package command

import (
	"os"
	"os/exec"
)

// answerFile is the worker's file descriptor for answers.
const answerFile = 3

// inherit makes f the worker's file for answers.
func inherit(cmd *exec.Cmd, f *os.File) error {
	cmd.ExtraFiles = []*os.File{f} // becomes answerFile
	return nil
}

// inherited returns the file that inherit passed to this worker.
func inherited() *os.File { return os.NewFile(answerFile, "answers") }
