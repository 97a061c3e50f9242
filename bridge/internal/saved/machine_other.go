//go:build !linux && !darwin

package saved

// readCPU describes the processor, which is not known here.
func readCPU() (cpu string, features []string) { return "", nil }
