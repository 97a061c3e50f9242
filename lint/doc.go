// Package lint runs rules over MLIR modules. A rule is an [Analyzer], and [Check] runs rules
// on one module. The rules of mlir-lint are in package lint/rules. The command, which prints
// the findings in files, is in tools/mlir-lint/command.
package lint
