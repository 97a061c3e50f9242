package deviations

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/tensor"
)

// upstream has a file for each deviation that the default plugin has, to be sent to XLA's maintainers.
const upstream = "../../docs/upstream"

// TestUpstream holds the files against the list (with -update it writes them), and that each still shows without any
// way round.
func TestUpstream(t *testing.T) {
	files := map[string][]byte{}
	for _, d := range deviations {
		says, ok := d.says[native.PJRTPlugin]
		if !ok {
			continue
		}
		t.Run(d.module, func(t *testing.T) {
			if got := d.plain(t, native.PJRTPlugin).result; !d.rare || got != d.want {
				check.Diff(t, "result", says, got)
			}
		})
		files[d.module+".mlir"] = []byte(d.report(says) + text(t, d.module))
	}
	if *update {
		old := check.Must(filepath.Glob(filepath.Join(upstream, "*.mlir")))
		for _, file := range old {
			check.NoError(t, os.Remove(file))
		}
		for name, data := range files {
			check.NoError(t, os.WriteFile(filepath.Join(upstream, name), data, 0o644))
		}
	}
	written := check.Must(filepath.Glob(filepath.Join(upstream, "*.mlir")))
	check.Diff(t, "number of files (go generate ./tests/deviations writes them)", len(files), len(written))
	for name, data := range files {
		check.Diff(t, name, string(data), string(check.Must(os.ReadFile(filepath.Join(upstream, name)))))
	}
}

// report is the comment before the module.
func (d *deviation) report(says string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n//\n", d.title)
	for line := range strings.Lines(d.about + "\n") {
		b.WriteString("// " + line)
	}
	b.WriteString("//\n// XLA: lammps-jax-pjrt-cpu 0.11.2 (PJRT 0.115), CPU, Linux x86_64\n")
	for flag, value := range d.options.Flags {
		fmt.Fprintf(&b, "// Flag: %s=%s\n", flag, value)
	}
	if d.flags != "" {
		fmt.Fprintf(&b, "// XLA_FLAGS: %s\n", d.flags)
	}
	if n := max(d.partitions, d.replicas); n > 0 {
		kind := map[bool]string{true: "partitions", false: "replicas"}[d.partitions > 0]
		fmt.Fprintf(&b, "// Devices: %d, as %s\n", n, kind)
	}
	if d.donated {
		b.WriteString("// Inputs are donated\n")
	}
	for _, v := range d.inputs {
		if v.Shape.DType == tensor.Pred { // all of them: String leaves some out
			fmt.Fprintf(&b, "// Input: %s %v\n", v.Shape, v.Data)
			continue
		}
		fmt.Fprintf(&b, "// Input: %s\n", v)
	}
	fmt.Fprintf(&b, "// Expected: %s\n// Got: %s\n", d.want, says)
	return b.String()
}
