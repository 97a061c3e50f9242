package legacycall_test

import (
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/run/legacycall"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

func tuple(elements ...legacycall.Nest) legacycall.Nest {
	return legacycall.Nest{Tuple: true, Elements: elements}
}

func arrays(n int) []legacycall.Nest { return make([]legacycall.Nest, n) }

func TestTuples(t *testing.T) {
	array := legacycall.Nest{}
	for _, c := range []struct {
		text              string
		in                []legacycall.Nest
		out               legacycall.Nest
		operands, results int
	}{
		{"", arrays(2), array, 2, 1},
		{"", arrays(0), array, 0, 1},
		{"", arrays(1), tuple(arrays(0)...), 1, 0},
		{"", arrays(1), tuple(array, array), 1, 2},
		{"(.,(.,.),.)->(.,.)", []legacycall.Nest{tuple(array, tuple(array, array), array)}, tuple(array, array), 4, 2},
		{".,()->((),.)", []legacycall.Nest{array, tuple()}, tuple(tuple(), array), 1, 1},
		{"->(.)", nil, tuple(array), 0, 1},
	} {
		check.Diff(t, "Tuples", c.text, legacycall.Tuples(c.in, c.out))
		in, out, err := legacycall.ParseTuples(c.text, c.operands, c.results)
		check.NoError(t, err)
		check.Diff(t, "operands of "+c.text, c.in, in)
		check.Diff(t, "result of "+c.text, c.out, out)
	}
}

func TestTuplesRefused(t *testing.T) {
	deep := strings.Repeat("(", 1e6)
	for _, text := range []string{".", "->", ".->", ".->.,.", "(.->.", ".)->.", "(,)->.", ". ->.", "x->.", ".,->.",
		".->.x", deep, deep[:65] + ".->."} {
		_, _, err := legacycall.ParseTuples(text, 1, 1)
		check.Error(t, err, "is no legacy_tuples")
	}
	_, _, err := legacycall.ParseTuples("(.,.)->.", 1, 1)
	check.Error(t, err, "2 arrays in the operands and 1 in the result, and the call has 1 operands and 1 results")
	_, _, err = legacycall.ParseTuples(".->(.)", 1, 2)
	check.Error(t, err, "1 arrays in the operands and 1 in the result")
}

func TestLegacySignatures(t *testing.T) {
	hosts, gpus := map[string]bool{}, map[string]bool{}
	for version := range int64(4) {
		host, gpu := legacycall.Signatures(version)
		hosts[host], gpus[gpu] = true, true
		check.Diff(t, "with a status", version >= 2, strings.Contains(host, "XlaCustomCallStatus") &&
			strings.Contains(gpu, "XlaCustomCallStatus"))
	}
	check.Diff(t, "number of signatures", []int{3, 2}, []int{len(hosts), len(gpus)})
}
