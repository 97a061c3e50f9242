// Package lint runs rules over MLIR modules. A rule is an [Analyzer], and [Check] runs some
// of them on one module. The rules of mlir-lint are in package lint/rules, and the command
// itself, which prints what rules find in files, is in tools/mlir-lint/command.
package lint
