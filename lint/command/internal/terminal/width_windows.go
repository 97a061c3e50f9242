package terminal

import (
	"os"
	"syscall"
)

var setConsoleMode = syscall.NewLazyDLL("kernel32.dll").NewProc("SetConsoleMode")

// widthOf reports whether a file is a console, and lets that show colours. The width is
// not known.
func widthOf(f *os.File) (int, bool) {
	const processed = 4 // ENABLE_VIRTUAL_TERMINAL_PROCESSING
	var mode uint32
	if syscall.GetConsoleMode(syscall.Handle(f.Fd()), &mode) != nil {
		return 0, false
	}
	done, _, _ := setConsoleMode.Call(f.Fd(), uintptr(mode|processed))
	return 0, done != 0
}
