package mutants

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/stablehlo/jaxexport"
)

// A seed is a module that is changed to make inputs.
type seed struct {
	name string
	data []byte
}

func (s seed) isText() bool { return !mlir.IsBytecode(s.data) && !jaxexport.Is(s.data) }

// Sizes of seeds. Most inputs are made of small ones, which are checked fast.
const (
	small  = 4 << 10
	common = 64 << 10
)

// corpus returns the modules in the repository that are small enough, and bytecode and portable
// artifacts made of the texts among them.
func corpus(ctx context.Context) ([]seed, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, fmt.Errorf("finding the modules of the repository: %w: run this in its folder", err)
	}
	if _, err := native.Ensure(ctx, native.MLIR, native.EnsureOptions{}); err != nil {
		return nil, err
	}
	library, err := mlir.Open(mlir.OpenOptions{})
	if err != nil {
		return nil, err
	}
	var seeds []seed
	for _, pattern := range []string{"tests/testdata/modules/*.mlir*", "lint/rules/testdata/*.mlir",
		"stablehlo/jaxexport/testdata/*.jaxexport"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), pattern))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("the repository has no modules %s", pattern)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			s := seed{filepath.Base(file), data}
			if len(data) <= common {
				seeds = append(seeds, s)
			}
			if s.isText() && len(data) <= small && !strings.HasPrefix(s.name, "bad_") {
				seeds = append(seeds, binaries(library, s)...)
			}
		}
	}
	return seeds, nil
}

// binaries returns the bytecode and the portable artifact of a text. A text of another dialect or
// without a portable form has none.
func binaries(library *mlir.Library, s seed) (all []seed) {
	context := library.NewContext(mlir.ContextOptions{})
	defer context.Close()
	m, err := context.Parse("", s.data)
	if err != nil {
		return nil
	}
	defer m.Close()
	if data, err := m.Operation().BytecodeVersion(6); err == nil {
		all = append(all, seed{s.name + ".mlirbc", data})
	}
	if data, err := stablehlo.PortableArtifact(m, "1.9.0"); err == nil {
		all = append(all, seed{s.name + ".stablehlo", data})
	}
	return all
}
