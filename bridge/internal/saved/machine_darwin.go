package saved

import (
	"strings"
	"syscall"
)

// readCPU describes the processor. features is empty if it cannot be read. On Apple's own
// processors the brand decides the features.
func readCPU() (cpu string, features []string) {
	brand, err := syscall.Sysctl("machdep.cpu.brand_string")
	if err != nil {
		return "", nil
	}
	features = []string{brand}
	for _, name := range []string{"machdep.cpu.features", "machdep.cpu.leaf7_features"} {
		if list, err := syscall.Sysctl(name); err == nil {
			features = append(features, strings.Fields(strings.ToLower(list))...)
		}
	}
	return brand, features
}
