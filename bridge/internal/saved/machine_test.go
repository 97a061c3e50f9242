package saved

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestCPUInfo(t *testing.T) {
	const intel = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Xeon\nstepping\t: 2\ncpu MHz\t: 2300.1\nflags\t\t: fpu avx2 avx\n\nprocessor\t: 1\nflags : other\n"
	const arm = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
	for text, want := range map[string]Machine{
		intel: {CPU: "GenuineIntel 6 207", Features: []string{"fpu", "avx2", "avx"}},
		arm:   {CPU: "0x41 8 0xd0c", Features: []string{"fp", "asimd"}},
		"":    {},
	} {
		var got Machine
		got.CPU, got.Features = cpuinfo(strings.NewReader(text))
		check.Diff(t, text, want, got)
	}
	m := This()
	if len(m.Features) == 0 || m.CPU == "" {
		t.Errorf("this machine is %+v", m)
	}
}
