package child

import (
	"os"
	"strings"
	"syscall"
)

// cause returns how a process ended that printed this: see Process.Cause.
func cause(state *os.ProcessState, printed string) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	// Go's runtime catches most signals, prints them and exits.
	for line := range strings.Lines(printed) {
		if isReason(line) {
			return strings.TrimSpace(line)
		}
	}
	return state.String()
}

// isReason reports whether a line names the reason of a crash.
func isReason(line string) bool {
	if strings.Contains(line, "==ERROR: AddressSanitizer: ") {
		return true // of a program that is built with -asan
	}
	for _, start := range []string{"SIG", "Exception 0x", "fatal error: ", "panic: ", "LLVM ERROR: ",
		"terminate called",
		"runtime/cgo: pthread_create failed", "runtime: failed to create new OS thread"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
