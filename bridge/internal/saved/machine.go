package saved

import (
	"bufio"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A Machine is what compiled code needs of the machine that it runs on.
type Machine struct {
	System   string // such as "linux/amd64"
	CPU      string // its vendor and model, from which LLVM knows how to schedule instructions
	Features []string
}

// This returns the machine of the process. A machine without features is unknown.
var This = sync.OnceValue(func() Machine {
	cpu, features := readCPU()
	slices.Sort(features)
	return Machine{System: runtime.GOOS + "/" + runtime.GOARCH, CPU: cpu, Features: slices.Compact(features)}
})

// cpuinfo reads the first processor of /proc/cpuinfo, on x86-64 and ARM. The kernel lists
// what CPUID reports and the system allows. All processors have the same features.
func cpuinfo(r io.Reader) (cpu string, features []string) {
	var model []string
	for lines := bufio.NewScanner(r); lines.Scan() && lines.Text() != ""; {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch key = strings.TrimSpace(key); key {
		case "vendor_id", "cpu family", "model", "CPU implementer", "CPU architecture", "CPU part":
			model = append(model, strings.TrimSpace(value))
		case "flags", "Features":
			features = strings.Fields(value)
		}
	}
	return strings.Join(model, " "), features
}
