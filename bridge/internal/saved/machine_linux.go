package saved

import "os"

// readCPU describes the processor. features is empty if it cannot be read.
func readCPU() (cpu string, features []string) {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "", nil
	}
	defer f.Close()
	return cpuinfo(f)
}
