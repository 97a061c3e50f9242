package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// TestTables checks that a table that is read and written stays the same.
func TestTables(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(tableFile("*"))))
	if err != nil || len(paths) < len(dialects)+len(ownDialects) {
		t.Fatalf("there are %d tables: %v", len(paths), err)
	}
	for _, path := range paths {
		data := check.Must(os.ReadFile(path))
		table, err := parse(path, data)
		if err != nil {
			t.Error(err)
			continue
		}
		if d := cmp.Diff(string(data), string(table.format())); d != "" {
			t.Errorf("%s (-read +written):\n%s", path, d)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"operation\n":                              "x:1: the line is none of a table",
		"\toperand a any\n":                        "x:1: the line is none of a table",
		"operation a.b B\n\toperand a\n":           "x:2: the kind is missing",
		"operation a.b B\n\toperand a any * *\n":   "x:2: there is something after the part",
		"operation a.b B\n\tthing a\n":             "x:2: the line is none of a table",
		"enum E int:64\n\tcase a\n":                "x:2:",
		"enum E text \"a\n":                        "x:1:",
		"constraint A b\n\nenum E int:64 f\n\tx\n": "x:3:",
	} {
		_, err := parse("x", []byte(text))
		check.Error(t, err, want)
	}
}

func TestNames(t *testing.T) {
	check.NoRaces(t)
	for name, want := range map[string]string{
		"apply_patterns.x": "ApplyPatternsX", "lhs": "LHS", "sym_name": "SymName", "dynamicSizes": "DynamicSizes",
		"slice":                "Slice",
		"dynamic_update_slice": "DynamicUpdateSlice", "cross-replica-sum": "CrossReplicaSum",
		"rhs_dilation": "RHSDilation",
		"replica_id":   "ReplicaID", "use_global_device_ids": "UseGlobalDeviceIDs",
		"_asin_acos_kernel": "AsinAcosKernel",
	} {
		check.Diff(t, "goName "+name, want, goName(name))
	}
	for name, want := range map[string]string{"LHS": "lhs", "lhs": "lhs", "type": "typeValue",
		"dynamicSizes": "dynamicSizes", "FCmpPredicate": "fCmpPredicate"} {
		check.Diff(t, "parameter "+name, want, parameter(name))
	}
	check.Diff(t, "className", "AddF", className("Arith_AddFOp"))
	check.Diff(t, "initials", "ThreadID", initials("ThreadId"))
}
