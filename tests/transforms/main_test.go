package transforms

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) {
	nativetest.Main(m, native.MLIR, native.Jaxlib, native.PJRTPlugin, native.LAPACK)
}
