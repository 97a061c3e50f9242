package serve

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

func TestRunsSkipTaken(t *testing.T) {
	first, second := &Run{}, &Run{}
	check.NoError(t, Add(first))
	runs.last.Store(uint32(first.id) - 1 + maxRuns) // the next number has the same slot
	check.NoError(t, Add(second))
	check.Diff(t, "numbers differ", true, first.id != second.id)
	check.Diff(t, "first", true, Find(int64(first.id)) == first)
	check.Diff(t, "second", true, Find(int64(second.id)) == second)
	check.Diff(t, "an old number", true, Find(int64(first.id)+maxRuns) == nil)
	old := int64(first.id)
	Remove(first)
	check.Diff(t, "removed", true, Find(old) == nil)
	runs.last.Store(1<<32 - 1) // 0 is not a valid number
	check.NoError(t, Add(first))
	if first.id <= 0 {
		t.Errorf("the number %d", first.id)
	}
	Remove(first)
	Remove(second)
}
