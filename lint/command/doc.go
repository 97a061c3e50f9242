// Package command implements the command mlir-lint: it reads files, runs rules on them, and
// prints the findings. A command with another rule is
//
//	func main() { os.Exit(command.Main(append(rules.All(), mine)...)) }
//
// The MLIR parser is C++ code that hostile input can crash or keep busy forever. So [Main]
// does not parse modules itself. It starts its own executable as workers, one for each
// processor, and reports a file that ends its worker as a finding.
//
// A run (run.go) finds the inputs (input.go, shard.go), decides what runs on each (plan.go, rules.go),
// passes them to checkers (pool.go) with workers (check.go, process.go), which check them (worker.go,
// examine.go), and reports and counts the findings (complete.go, results.go). The language server
// (lsp.go, editor.go) plans and checks the documents of an editor in the same way. What needs no MLIR
// is in lint/command/internal: the formats, the configuration, comments that ignore findings,
// baselines, changed lines, and the protocol of the language server.
//
// With -quick, the checkers open no MLIR library and start no workers: see package lint/quick. A build
// without cgo has only this part, [QuickMain]. Files that import package lint or mlir therefore
// have the build constraint cgo.
package command

//go:generate go test -run ^(TestPicture|TestSchema)$ -update .
