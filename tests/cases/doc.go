// Package cases has small inputs that once gave a wrong number, crashed or never ended, or made a tool do what its user
// did not ask for. Each is a script in testdata, with its files and what must come out; those that need Go are commands
// of the test. Each stands for a kind, which has its own tests beside the code.
package cases
