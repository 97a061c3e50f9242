package jaxprograms

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/nativetest"
)

func TestMain(m *testing.M) { nativetest.Main(m) }
