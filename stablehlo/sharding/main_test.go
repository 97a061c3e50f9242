package sharding_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/nativetest"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) { nativetest.Main(m, native.PJRTPlugin, native.MLIR, native.Jaxlib) }
