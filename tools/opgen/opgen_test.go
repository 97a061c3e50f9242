package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

var root = filepath.Join("..", "..")

// TestCommitted checks that `go generate` writes exactly the committed files.
func TestCommitted(t *testing.T) {
	want, err := generate(root)
	check.NoError(t, err)
	check.Files(t, root, want, "the files of `go generate ./...`")
	for _, pattern := range []string{"mlir/dialect/*", "stablehlo", "stablehlo/chlo"} {
		for _, file := range check.Must(filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern), "gen_*.go"))) {
			if name := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator))); want[name] == nil {
				t.Errorf("`go generate ./...` does not write %s", name)
			}
		}
	}
}

func TestOwnKinds(t *testing.T) {
	for _, test := range []struct {
		dialect string
		part    part
		want    string
	}{
		{"stablehlo", part{kind: "StableHLO_ChannelHandle", many: "optional"}, "own:ChannelHandle"},
		{"stablehlo", part{kind: "StableHLO_PrecisionConfigAttr", many: "optional"}, "array:own:Precision"},
		{"chlo", part{kind: "CHLO_ComparisonTypeAttr"}, "own:ComparisonType"},
		{"stablehlo", part{kind: "I64ElementsAttr", name: "replica_groups"}, "own:Groups"},
		{"stablehlo", part{kind: "I64ElementsAttr", name: "padding"}, "pairs"},
		{"stablehlo", part{kind: "BoolAttr", many: "optional"}, "flag"},
		{"stablehlo", part{kind: "BoolAttr"}, "bool"},
		{"stablehlo", part{kind: "anonymous_7"}, "attribute"},
	} {
		check.Diff(t, test.part.kind, test.want, ownKindOf(test.dialect, &test.part))
	}
}
