package chlo

import "github.com/calliope-mlir/calliope/stablehlo/internal/ods"

func init() { ods.Register(inference, guards()) }
