package transform_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }
