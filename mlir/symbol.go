package mlir

import (
	"fmt"
	"iter"
	"strconv"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// The names of the attributes of symbols.
const (
	symbolName       = "sym_name"
	symbolVisibility = "sym_visibility"
)

// Visibility is the scope in which a symbol can be referred to.
type Visibility string

const (
	Public  Visibility = "public"  // anywhere; the default
	Private Visibility = "private" // the symbol table of the symbol
	Nested  Visibility = "nested"  // the outer symbol tables too, but not outside
)

// Symbol returns the operation's symbol name, for example main for func.func @main, and
// whether it has one.
func (o Operation) Symbol() (string, bool) {
	a, ok := o.Attribute(symbolName)
	if !ok {
		return "", false
	}
	return a.Text()
}

// SetSymbol sets the operation's symbol name. References to the old name are not changed;
// SymbolTable.Rename changes them, too.
func (o Operation) SetSymbol(name string) {
	named("Operation.SetSymbol", name)
	o.SetAttribute(symbolName, o.Context().StringAttribute(name))
}

// Visibility returns the visibility of the symbol.
func (o Operation) Visibility() Visibility {
	if a, ok := o.Attribute(symbolVisibility); ok {
		if text, ok := a.Text(); ok {
			return Visibility(text)
		}
	}
	return Public
}

// SetVisibility sets the visibility of the symbol.
func (o Operation) SetVisibility(v Visibility) {
	switch v {
	case Public:
		o.RemoveAttribute(symbolVisibility)
	case Private, Nested:
		o.SetAttribute(symbolVisibility, o.Context().StringAttribute(string(v)))
	default:
		panic(fmt.Sprintf("mlir: Operation.SetVisibility: %q is not a visibility: use Public, Private or Nested", v))
	}
}

// A SymbolTable finds symbols in one operation by name, for example the functions of a
// module. It always reflects the current state of the operation.
type SymbolTable struct {
	of    Operation
	names map[string]Operation // may be out of date
}

// SymbolTable returns the operation's symbol table. The operation must have one region
// with one block.
func (o Operation) SymbolTable() (*SymbolTable, error) {
	t := o.life.use("Operation.SymbolTable", o.raw.Ptr)
	// The library reads the block without checking that it exists.
	if o.NumRegions() != 1 || o.Region(0).First().IsNil() {
		return nil, fmt.Errorf("mlir: %s is not a symbol table: it must have one region with a block", o.Name())
	}
	table := capi.MlirSymbolTableCreate(t, o.raw)
	if table.Ptr == nil {
		return nil, fmt.Errorf("mlir: %s is not a symbol table", o.Name())
	}
	capi.MlirSymbolTableDestroy(t, table)
	return &SymbolTable{of: o, names: map[string]Operation{}}, nil
}

// Operation returns the operation of the table.
func (s *SymbolTable) Operation() Operation { return s.of }

func (s *SymbolTable) body() Block { return s.of.Region(0).First() }

// Lookup returns the symbol with the given name, and whether it exists.
func (s *SymbolTable) Lookup(name string) (Operation, bool) {
	body := s.body()
	if o, ok := s.names[name]; ok && s.current(o, name, body) {
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

// current reports whether an operation found earlier still has the name and is in body.
func (s *SymbolTable) current(o Operation, name string, body Block) bool {
	if o.erased() {
		return false
	}
	n, ok := o.Symbol()
	return ok && n == name && o.Block().Equal(body)
}

// All returns an iterator over the symbols in order.
func (s *SymbolTable) All() iter.Seq2[string, Operation] {
	return func(yield func(string, Operation) bool) {
		for o := range s.body().Operations() {
			if n, ok := o.Symbol(); ok && !yield(n, o) {
				return
			}
		}
	}
}

// Insert appends a detached operation with a name to the block, before its terminator. If
// the name is in use, the operation gets another one. Insert returns its name.
func (s *SymbolTable) Insert(o Operation) (string, error) {
	name, ok := o.Symbol()
	if !ok {
		return "", fmt.Errorf("mlir: %s has no symbol name: set the attribute %s", o.Name(), symbolName)
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

// Erase erases the symbol with the given name. It does not check for references to it.
func (s *SymbolTable) Erase(name string) error {
	o, ok := s.Lookup(name)
	if !ok {
		return fmt.Errorf("mlir: %s has no symbol %q", s.of.Name(), name)
	}
	delete(s.names, name)
	return o.Erase()
}

// Rename renames a symbol and all references to it in the table's operation. It returns an
// error and changes nothing if the new name is in use, or if the library cannot find all
// references to the symbol.
func (s *SymbolTable) Rename(name, to string) error {
	o, ok := s.Lookup(name)
	if !ok {
		return fmt.Errorf("mlir: %s has no symbol %q", s.of.Name(), name)
	}
	if name == to {
		return nil
	}
	if _, taken := s.Lookup(to); taken || to == "" {
		return fmt.Errorf("mlir: cannot rename the symbol %q to %q: the new name is empty or in use", name, to)
	}
	if err := s.of.ReplaceSymbolUses(name, to); err != nil {
		return err
	}
	o.SetSymbol(to)
	return nil
}

// ReplaceSymbolUses replaces every reference to the symbol of in the operation's regions
// by a reference to with. It does not rename the symbol.
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

// SymbolTables returns an iterator over the symbol tables of o and the operations in it,
// in order.
func (o Operation) SymbolTables() iter.Seq[*SymbolTable] {
	return func(yield func(*SymbolTable) bool) {
		for op := range o.All() {
			if table, err := op.SymbolTable(); err == nil && !yield(table) {
				return
			}
		}
	}
}
