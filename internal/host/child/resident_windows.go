package child

import (
	"syscall"
	"unsafe"
)

var getProcessMemoryInfo = syscall.NewLazyDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// memoryCounters is PROCESS_MEMORY_COUNTERS of psapi.h.
type memoryCounters struct {
	size, pageFaults        uint32
	peakWorkingSet, working uintptr
	_                       [6]uintptr // paged pools and page files
}

// Resident returns the resident memory of a process in bytes.
func Resident(pid int) (int64, error) {
	const queryLimitedInformation = 0x1000
	process, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if err != nil {
		return 0, err
	}
	defer syscall.CloseHandle(process)
	var c memoryCounters
	c.size = uint32(unsafe.Sizeof(c))
	if ok, _,
		err := getProcessMemoryInfo.Call(uintptr(process), uintptr(unsafe.Pointer(&c)), uintptr(c.size)); ok == 0 {
		return 0, err
	}
	return int64(c.working), nil
}
