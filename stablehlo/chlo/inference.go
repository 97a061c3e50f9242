package chlo

import "github.com/calliope-mlir/calliope/internal/ir/ods"

func init() { ods.Register(inference, guards()) }
