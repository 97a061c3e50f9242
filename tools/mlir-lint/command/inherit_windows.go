package command

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// answerEnv has the worker's handle for answers, because Windows does not number them.
const answerEnv = "CALLIOPE_MLIR_LINT_ANSWERS"

// inherit makes f the worker's file for answers.
func inherit(cmd *exec.Cmd, f *os.File) error {
	handle := syscall.Handle(f.Fd())
	if err := syscall.SetHandleInformation(handle, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
		return os.NewSyscallError("SetHandleInformation", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{handle}}
	cmd.Env = append(cmd.Env, answerEnv+"="+strconv.FormatUint(uint64(handle), 10))
	return nil
}

// inherited returns the file that inherit passed to this worker, or nil, which cannot be
// written to.
func inherited() *os.File {
	handle, err := strconv.ParseUint(os.Getenv(answerEnv), 10, 64)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(handle), "answers")
}
