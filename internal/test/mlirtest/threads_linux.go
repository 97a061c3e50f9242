package mlirtest

import (
	"fmt"
	"os"
	"syscall"
)

const largeStack = 512 << 20

// RefuseThreads leaves this process too little address space for a thread with a large stack. onOne says that the
// caller is on one, whose address space is free afterwards.
func RefuseThreads(onOne bool) error {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(data), &pages); err != nil {
		return err
	}
	limit := pages*uint64(os.Getpagesize()) + largeStack/2
	if onOne {
		limit -= largeStack
	}
	const addressSpace = 9 // RLIMIT_AS
	return syscall.Setrlimit(addressSpace, &syscall.Rlimit{Cur: limit, Max: limit})
}
