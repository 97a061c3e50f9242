package chlo

import "github.com/calliope-mlir/calliope/internal/ods"

func init() { ods.Register(inference, guards()) }
