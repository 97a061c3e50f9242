package load

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A NoFunctionError says that a module does not have the function that is to run.
type NoFunctionError struct {
	Name   string
	Public []string // the functions that there are
	Choose string   // how another one is chosen, for people
}

func (e *NoFunctionError) Error() string {
	switch {
	case len(e.Public) == 0:
		return fmt.Sprintf("it has no function @%s, the one to run, and no other public function", e.Name)
	default:
		return fmt.Sprintf("it has no function @%s, the one to run: choose one with %s: @%s", e.Name, e.Choose,
			strings.Join(e.Public, ", @"))
	}
}

// SetMain makes the function of a name main, which is the one that runs. Another main gets another name, and is
// private. "" stands for main. choose says how users choose a function, for the error.
func SetMain(m *mlir.Module, name, choose string) error {
	if name == "" {
		name = entry
	}
	var public []string
	found := false
	for op := range m.Body().Operations() {
		symbol, ok := op.Symbol()
		if !ok || op.Name() != "func.func" {
			continue
		}
		found = found || symbol == name
		if op.Visibility() == mlir.Public && !op.Region(0).IsEmpty() {
			public = append(public, symbol)
		}
	}
	table := m.SymbolTable()
	switch {
	case !found:
		return &NoFunctionError{Name: name, Public: public, Choose: choose}
	case name == entry:
		return nil
	}
	if other, ok := table.Lookup(entry); ok {
		unused := entry + ".other"
		for taken := true; taken; {
			if _, taken = table.Lookup(unused); taken {
				unused += "_"
			}
		}
		other.SetVisibility(mlir.Private)
		if err := table.Rename(entry, unused); err != nil {
			return err
		}
	}
	if err := table.Rename(name, entry); err != nil {
		return err
	}
	f, _ := table.Lookup(entry)
	f.SetVisibility(mlir.Public)
	return nil
}

const entry = "main"
