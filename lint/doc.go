// Package lint runs rules over MLIR modules. A rule is an [Analyzer], and [Check] runs rules
// on one module. The rules of mlir-lint are in package lint/rules. The command, which prints
// the findings in files, is in lint/command: a program that calls command.Main with rules of its
// own is a linter with these rules, see examples/lintrule.
package lint
