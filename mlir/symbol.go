package mlir

import (
	"fmt"
	"iter"
	"strconv"

	"github.com/calliope-mlir/calliope/internal/capi"
)

// The names under which operations keep what makes them symbols.
const (
	symbolName       = "sym_name"
	symbolVisibility = "sym_visibility"
)

// Visibility says from where a symbol can be referred to.
type Visibility string

const (
	Public  Visibility = "public"  // from anywhere; what a symbol without a mark is
	Private Visibility = "private" // from the symbol table that it stands in
	Nested  Visibility = "nested"  // from the outer symbol tables too, but not from outside
)

// Symbol is the name that the operation is known by, for example main of
// func.func @main.
func (o Operation) Symbol() (string, bool) {
	a, ok := o.Attribute(symbolName)
	if !ok {
		return "", false
	}
	return a.Text()
}

// SetSymbol names the operation. References to its old name are not changed:
// SymbolTable.Rename does both.
func (o Operation) SetSymbol(name string) {
	if name == "" {
		panic("mlir: Operation.SetSymbol was given an empty name")
	}
	o.SetAttribute(symbolName, o.Context().StringAttribute(name))
}

// Visibility says from where the symbol can be referred to.
func (o Operation) Visibility() Visibility {
	if a, ok := o.Attribute(symbolVisibility); ok {
		if text, ok := a.Text(); ok {
			return Visibility(text)
		}
	}
	return Public
}

// SetVisibility changes from where the symbol can be referred to.
func (o Operation) SetVisibility(v Visibility) {
	switch v {
	case Public:
		o.RemoveAttribute(symbolVisibility)
	case Private, Nested:
		o.SetAttribute(symbolVisibility, o.Context().StringAttribute(string(v)))
	default:
		panic(fmt.Sprintf("mlir: Operation.SetVisibility: %q is no visibility", v))
	}
}

// SymbolTable finds, by their names, the symbols that stand in one operation, for
// example the functions of a module. It holds nothing that could become stale: what
// it finds is what stands there now.
type SymbolTable struct {
	of    Operation
	names map[string]Operation // as last seen
}

// SymbolTable is the operation's symbol table. The operation must have one region of
// one block.
func (o Operation) SymbolTable() (*SymbolTable, error) {
	t := o.life.use("Operation.SymbolTable", o.raw.Ptr)
	// The library looks into the block without asking whether there is one.
	if o.NumRegions() != 1 || o.Region(0).First().IsNil() {
		return nil, fmt.Errorf("mlir: %s has no block for symbols to stand in", o.Name())
	}
	table := capi.MlirSymbolTableCreate(t, o.raw)
	if table.Ptr == nil {
		return nil, fmt.Errorf("mlir: %s is no symbol table", o.Name())
	}
	capi.MlirSymbolTableDestroy(t, table)
	return &SymbolTable{of: o, names: map[string]Operation{}}, nil
}

// Operation is the operation whose table it is.
func (s *SymbolTable) Operation() Operation { return s.of }

func (s *SymbolTable) body() Block { return s.of.Region(0).First() }

// Lookup finds the symbol of that name.
func (s *SymbolTable) Lookup(name string) (Operation, bool) {
	body := s.body()
	if o, ok := s.names[name]; ok && s.stands(o, name, body) {
		return o, true
	}
	clear(s.names)
	for o := range body.Operations() {
		if n, ok := o.Symbol(); ok {
			s.names[n] = o
		}
	}
	o, ok := s.names[name]
	return o, ok
}

// stands reports whether an operation found before is still there under the name.
func (s *SymbolTable) stands(o Operation, name string, body Block) bool {
	if o.erased() {
		return false
	}
	n, ok := o.Symbol()
	return ok && n == name && o.Block().Equal(body)
}

// All iterates over the symbols in the order of the text.
func (s *SymbolTable) All() iter.Seq2[string, Operation] {
	return func(yield func(string, Operation) bool) {
		for o := range s.body().Operations() {
			if n, ok := o.Symbol(); ok && !yield(n, o) {
				return
			}
		}
	}
}

// Insert adds a detached operation with a name at the end, before a terminator. Where
// the name is taken, it gets another one, which is returned.
func (s *SymbolTable) Insert(o Operation) (string, error) {
	name, ok := o.Symbol()
	if !ok {
		return "", fmt.Errorf("mlir: %s has no name to be known by: set the attribute %s", o.Name(), symbolName)
	}
	unique := name
	for i := 0; ; i++ {
		if _, taken := s.Lookup(unique); !taken {
			break
		}
		unique = name + "_" + strconv.Itoa(i)
	}
	if unique != name {
		o.SetSymbol(unique)
	}
	body := s.body()
	if end := body.Terminator(); !end.IsNil() {
		o = body.InsertBefore(end, o)
	} else {
		o = body.Append(o)
	}
	s.names[unique] = o
	return unique, nil
}

// Erase erases the symbol of that name. References to it are not looked for.
func (s *SymbolTable) Erase(name string) error {
	o, ok := s.Lookup(name)
	if !ok {
		return fmt.Errorf("mlir: %s has no symbol %q", s.of.Name(), name)
	}
	delete(s.names, name)
	return o.Erase()
}

// Rename gives a symbol another name, and makes every reference to it in the table's
// operation one to the new name. The error says where the new name is taken, or where
// the library cannot tell what refers to the symbol; nothing is changed then.
func (s *SymbolTable) Rename(name, to string) error {
	o, ok := s.Lookup(name)
	if !ok {
		return fmt.Errorf("mlir: %s has no symbol %q", s.of.Name(), name)
	}
	if name == to {
		return nil
	}
	if _, taken := s.Lookup(to); taken || to == "" {
		return fmt.Errorf("mlir: the symbol %q cannot be renamed to %q: it is taken", name, to)
	}
	if err := s.of.ReplaceSymbolUses(name, to); err != nil {
		return err
	}
	o.SetSymbol(to)
	return nil
}

// ReplaceSymbolUses makes every reference to a symbol in the operation's regions a
// reference to another name. It does not rename the symbol.
func (o Operation) ReplaceSymbolUses(of, with string) error {
	t := o.life.use("Operation.ReplaceSymbolUses", o.raw.Ptr)
	if of == "" || with == "" {
		return fmt.Errorf("mlir: Operation.ReplaceSymbolUses was given an empty name")
	}
	if capi.MlirSymbolTableReplaceAllSymbolUses(t, of, with, o.raw).Value == 0 {
		return fmt.Errorf("mlir: %s: an operation of an unknown dialect may refer to %q in ways that the library cannot see", o.Name(), of)
	}
	return nil
}

// SymbolTables iterates over o and the operations in it that have a symbol table,
// in the order of the text.
func (o Operation) SymbolTables() iter.Seq[*SymbolTable] {
	return func(yield func(*SymbolTable) bool) {
		for op := range o.All() {
			if table, err := op.SymbolTable(); err == nil && !yield(table) {
				return
			}
		}
	}
}
