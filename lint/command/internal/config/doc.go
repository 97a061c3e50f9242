// Package config reads the configuration of mlir-lint, the file .mlir-lint.yaml. Its format is
// in docs/mlir-lint.schema.json, too. The package does not need the MLIR library.
package config
