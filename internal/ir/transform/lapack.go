package transform

import "github.com/calliope-mlir/calliope/mlir"

// Option returns the character that a call of LAPACK has as an option, or 0.
func Option(op mlir.Operation, name string) byte {
	for _, key := range []string{"mhlo.backend_config", "backend_config"} {
		if config, ok := op.Attribute(key); ok && config.IsDictionary() {
			if a, ok := config.Entry(name); ok {
				n, _ := a.Int()
				return byte(n)
			}
		}
	}
	return 0
}
