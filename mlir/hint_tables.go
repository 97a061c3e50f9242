package mlir

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/internal/text/nearest"
	"github.com/calliope-mlir/calliope/native"
)

// Each of these files has lines with the parts of package native whose libraries have
// something, followed by the names of these things, one in a line that starts with a space.
// The functions are those that only some libraries have, the passes those that any has. The operations
// are those of packages below mlir/dialect that not all libraries with their dialect have; a line without
// parts is above those that none has. TestHintFiles writes the first two, and TestTables in tests/operations
// the third.
var (
	//go:embed hint_functions.txt
	functionTable string
	//go:embed hint_passes.txt
	passTable string
	//go:embed hint_operations.txt
	operationTable string

	partsByFunction  = sync.OnceValue(func() map[string][]native.Part { return readHints(functionTable) })
	partsByPass      = sync.OnceValue(func() map[string][]native.Part { return readHints(passTable) })
	partsByOperation = sync.OnceValue(func() map[string][]native.Part { return readHints(operationTable) })
)

func readHints(table string) map[string][]native.Part {
	by := map[string][]native.Part{}
	var parts []native.Part
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, " "); ok {
			by[name] = parts
			continue
		}
		parts = nil
		for part := range strings.FieldsSeq(line) {
			parts = append(parts, native.Part(part))
		}
	}
	return by
}

// functionHint returns which libraries have a function and how to get the first, or "" if
// none is known.
func functionHint(function string) string {
	parts := partsByFunction()[function]
	if len(parts) == 0 {
		return ""
	}
	return has("it", parts...)
}

// passHint returns which libraries have the first unknown pass that an error of the pipeline
// parser names, or if none has, which pass may be meant.
func (l *Library) passHint(text string) string {
	_, after, ok := strings.Cut(text, "'")
	name, rest, _ := strings.Cut(after, "'")
	if !ok || !strings.Contains(rest, "does not refer to a registered pass") {
		return ""
	}
	parts := partsByPass()[name]
	if len(parts) == 0 {
		return nearest.Hint(nearest.Name(name, maps.Keys(partsByPass())))
	}
	if slices.Contains(parts, l.part()) {
		return ""
	}
	return "; " + has(fmt.Sprintf("the pass %s", name), parts...)
}

// part returns which of the known libraries l is, or "".
func (l *Library) part() native.Part {
	switch {
	case l.torch:
		return native.MLIR
	case l.api.Has("mlirMemoryEffectInstanceClone") && !l.api.Has("mlirMemoryEffectInstancesListAppend"):
		return native.IREE
	}
	return ""
}
