package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestPluginHidden checks that a library whose C++ functions cannot be called refuses plugins,
// and names one that does not. TestPluginExample and TestPluginRefused load some.
func TestPluginHidden(t *testing.T) {
	path := mlirtest.Library(t).Path()
	_, err := mlir.Open(mlir.OpenOptions{Path: path, Plugins: []string{"plugin.so"}})
	check.Error(t, err, "plugin.so cannot be used with "+path+", which hides the C++ functions of MLIR",
		"tools/doctor -fetch llvm`")
}
