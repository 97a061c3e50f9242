package passes_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/passes/order"
)

// What InsertTap, AddRuntimeTokens and Migrate make is ordered. A tap in a condition is the
// exception: see InsertTap.
func TestPassesOrder(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			m := build(t, p.build, false)
			outside := func(v mlir.Value) bool { return !inCondition(v) }
			_, err := passes.InsertTap(m, outside, spec)
			check.NoError(t, err)
			_, err = passes.AddRuntimeTokens(m)
			check.NoError(t, err)
			r, err := order.Unordered(m, order.Options{})
			check.NoError(t, err)
			check.NoError(t, r.Err())
		})
	}
}

func TestPassesOrderCorpus(t *testing.T) {
	files, err := filepath.Glob("../tests/testdata/modules/*.mlir*")
	check.NoError(t, err)
	taps, migrated := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		check.NoError(t, err)
		c := mlirtest.Context(t)
		m, err := c.Parse(file, data)
		if err != nil {
			continue // what the default library cannot parse is tested elsewhere
		}
		check.Cleanup(t, m)
		isOrdered := func(m *mlir.Module) {
			result, err := order.Unordered(m, order.Options{})
			check.NoError(t, err)
			for _, p := range result.Pairs {
				if strings.HasPrefix(p.Second.Callee, "callback") {
					t.Errorf("%s: %v", file, p)
				}
			}
		}
		clone := m.Clone()
		check.Cleanup(t, clone)
		n, err := passes.InsertTap(clone, func(v mlir.Value) bool { return !inCondition(v) }, spec)
		check.NoError(t, err)
		taps += n
		isOrdered(clone)
		result, err := passes.Migrate(m, passes.MigrateOptions{})
		check.NoError(t, err)
		migrated += len(result.Callbacks)
		isOrdered(m)
	}
	if taps < 1000 || migrated < 15 {
		t.Errorf("only %d taps and %d migrated calls", taps, migrated)
	}
}

func inCondition(v mlir.Value) bool {
	op := v.Owner()
	if v.IsArgument() {
		op = v.Block().Terminator()
	}
	for ; !op.IsNil() && !op.Parent().IsNil(); op = op.Parent() {
		if parent := op.Parent(); parent.Name() == "stablehlo.while" && slices.ContainsFunc(
			slices.Collect(parent.Region(0).Blocks()), func(b mlir.Block) bool { return b == op.Block() }) {
			return true
		}
	}
	return false
}
