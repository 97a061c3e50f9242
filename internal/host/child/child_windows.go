package child

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// handleEnv has the child's handle, because Windows does not number files.
const handleEnv = "CALLIOPE_ANSWERS"

// inherit makes f the file that Answers returns in the process that cmd starts. It is called
// last before the start, when cmd.Env is set.
func inherit(cmd *exec.Cmd, f *os.File) error {
	handle := syscall.Handle(f.Fd())
	if err := syscall.SetHandleInformation(handle, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err !=
		nil {
		return os.NewSyscallError("SetHandleInformation", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{handle}}
	cmd.Env = append(cmd.Environ(), handleEnv+"="+strconv.FormatUint(uint64(handle), 10))
	return nil
}

// Answers returns the file that its parent passed to this process, or nil, which cannot be
// written to.
func Answers() *os.File {
	handle, err := strconv.ParseUint(os.Getenv(handleEnv), 10, 64)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(handle), "answers")
}
