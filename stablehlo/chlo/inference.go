package chlo

import "github.com/calliope-mlir/calliope/mlir"

func init() {
	for name, i := range inference {
		mlir.AllowInference(name, i)
	}
}
