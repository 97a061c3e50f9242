// Package command is the command mlir-lint: it reads files, has rules check them, and prints
// what they find. A command with rules of one's own is
//
//	func main() { os.Exit(command.Main(append(rules.All(), mine)...)) }
//
// The MLIR parser is C++ code that hostile input can crash or keep busy for ever.
// So [Main] reads no module itself: it starts its own executable again as workers,
// one for each processor, and a file that ends its worker becomes one more finding.
package command
