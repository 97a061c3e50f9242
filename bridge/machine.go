package bridge

import (
	"bufio"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A machine is what compiled code needs of the machine that it runs on.
type machine struct {
	System   string // such as "linux/amd64"
	CPU      string // its vendor and model, from which LLVM knows how to schedule instructions
	Features []string
}

// thisMachine returns the machine of the process. A machine without features is unknown.
var thisMachine = sync.OnceValue(func() machine {
	cpu, features := readCPU()
	slices.Sort(features)
	return machine{System: runtime.GOOS + "/" + runtime.GOARCH, CPU: cpu, Features: slices.Compact(features)}
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
