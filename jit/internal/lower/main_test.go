package lower_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/mlirtest"
)

func TestMain(m *testing.M) {
	if beCorpus() {
		return
	}
	mlirtest.Main(m)
}
