package stablehlo

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// maxBound limits the copies of one function, of which each has other values of its arguments.
// Lists of platforms are short, but functions that call functions can multiply the values.
const maxBound = 64

// bindPlatform replaces a value by a constant, if it is not nil, and computes what follows from it
// and from the constants that are passed on as an index of a platform: it selects branches, and
// gives each function that takes such an index a copy for each value.
func bindPlatform(m *mlir.Module, index mlir.Value, value integer) error {
	table, err := m.Operation().SymbolTable()
	if err != nil {
		return err
	}
	b := binder{table: table, bound: map[string]*binding{}, copies: map[string][]*binding{},
		running: map[string]bool{}, derived: map[mlir.Value]bool{}}
	if index != (mlir.Value{}) {
		block := index.Block()
		constant, err := b.constant(mlir.AtStart(block), block.Parent().Location(), value)
		if err != nil {
			return err
		}
		index.ReplaceAllUses(constant)
	}
	var functions []mlir.Operation
	for f := range m.Body().Operations() {
		if f.Name() == function {
			functions = append(functions, f)
		}
	}
	for _, f := range functions {
		if err := b.function(f); err != nil {
			return err
		}
	}
	if err := runPasses(m, "symbol-dce"); err != nil { // the functions of other platforms
		return err
	}
	return b.rename(m)
}

// A binder follows the index of a platform through a module.
type binder struct {
	table   *mlir.SymbolTable
	bound   map[string]*binding   // by the function and the values of its arguments
	copies  map[string][]*binding // by the function
	running map[string]bool       // the functions that are being bound
	derived map[mlir.Value]bool   // the constants that follow from the index
}

// A binding is a copy of a function with constants for arguments.
type binding struct {
	name    string
	results map[int]integer // those that follow from the arguments
}

// constant creates a constant that follows from the index.
func (b *binder) constant(at mlir.InsertionPoint, l mlir.Location, n integer) (mlir.Value, error) {
	builder := mlir.NewBuilder(at, l)
	v := Constant(builder, n.view())
	if err := builder.Cause(); err != nil {
		return v, err
	}
	b.derived[v] = true
	return v, nil
}

// known returns the value of a constant that follows from the index.
func (b *binder) known(v mlir.Value) (integer, bool) {
	if !b.derived[v] {
		return integer{}, false
	}
	return numberOf(v)
}

// replace replaces the uses of an operation's result by a constant.
func (b *binder) replace(op mlir.Operation, result int, n integer) error {
	v, err := b.constant(mlir.Before(op), op.Location(), n)
	if err == nil {
		op.Result(result).ReplaceAllUses(v)
	}
	return err
}

func (b *binder) function(f mlir.Operation) error {
	for block := range f.Region(0).Blocks() {
		if err := b.block(block); err != nil {
			return err
		}
	}
	return nil
}

// block follows the index through the operations of a block, in their order.
func (b *binder) block(block mlir.Block) error {
	for op := block.First(); !op.IsNil(); {
		if branch, index, ok := selectedBranch(op); ok {
			next, err := b.takeBranch(op, branch, b.derived[index])
			if err != nil {
				return err
			}
			op = next
			continue
		}
		if err := b.operation(op); err != nil {
			return err
		}
		for _, r := range op.Regions() {
			for inner := range r.Blocks() {
				if err := b.block(inner); err != nil {
					return err
				}
			}
		}
		op = op.Next()
	}
	return nil
}

func (b *binder) operation(op mlir.Operation) error {
	switch op.Name() {
	case "func.call", dialect + "composite":
		return b.call(op)
	case dialect + "while":
		b.loop(op)
		return nil
	case dialect + "optimization_barrier":
		for i, v := range op.Operands() {
			if b.derived[v] {
				op.Result(i).ReplaceAllUses(v)
			}
		}
		return nil
	}
	for _, v := range op.Operands() {
		if b.derived[v] {
			if n, ok := fold(op); ok {
				return b.replace(op, 0, n)
			}
			return nil
		}
	}
	return nil
}

// loop passes on what a loop does not change.
func (b *binder) loop(op mlir.Operation) {
	loop, ok := AsWhile(op)
	if !ok || loop.Body.NumBlocks() != 1 || loop.Cond.NumBlocks() != 1 {
		return
	}
	body, condition := loop.Body.First(), loop.Cond.First()
	last := body.Terminator()
	for i, v := range loop.Operand {
		if b.derived[v] && last.Operand(i) == body.Argument(i) {
			body.Argument(i).ReplaceAllUses(v)
			condition.Argument(i).ReplaceAllUses(v)
			op.Result(i).ReplaceAllUses(v)
		}
	}
}

// call replaces a call by one of a copy of its function for the values of the arguments that are
// known.
func (b *binder) call(op mlir.Operation) error {
	attribute, name := calleeOf(op)
	f, ok := b.table.Lookup(name)
	if !ok || f.Name() != function || f.Region(0).IsEmpty() || b.running[name] {
		return nil
	}
	values, key := map[int]integer{}, strings.Builder{}
	fmt.Fprintf(&key, "%q", name)
	marked, isMarked := platformArgument(f)
	for i, v := range op.Operands() {
		n, ok := b.known(v)
		if !ok && isMarked && i == marked {
			n, ok = numberOf(v)
		}
		if ok {
			values[i] = n
			fmt.Fprintf(&key, " %d=%s", i, n.value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	to := b.bound[key.String()]
	if to == nil {
		if len(b.copies[name]) == maxBound {
			return nil
		}
		to = &binding{}
		b.bound[key.String()], b.copies[name] = to, append(b.copies[name], to)
		b.running[name] = true
		err := b.bind(to, f, values)
		delete(b.running, name)
		if err != nil {
			return err
		}
	}
	op.SetAttribute(attribute, op.Context().SymbolAttribute(to.name))
	for i, n := range to.results {
		if err := b.replace(op, i, n); err != nil {
			return err
		}
	}
	return nil
}

// bind makes a copy of a function.
func (b *binder) bind(to *binding, f mlir.Operation, values map[int]integer) (err error) {
	f = f.Clone()
	f.SetVisibility(mlir.Private)
	if to.name, err = b.table.Insert(f); err != nil {
		return err
	}
	block := f.Region(0).First()
	for i, n := range values {
		v, err := b.constant(mlir.AtStart(block), f.Location(), n)
		if err != nil {
			return err
		}
		block.Argument(i).ReplaceAllUses(v)
	}
	if err := b.function(f); err != nil || f.Region(0).NumBlocks() != 1 {
		return err
	}
	to.results = map[int]integer{}
	for i, v := range block.Terminator().Operands() {
		if n, ok := b.known(v); ok {
			to.results[i] = n
		}
	}
	return nil
}

// rename gives the first copy of each function that is no longer called its name.
func (b *binder) rename(m *mlir.Module) error {
	table, err := m.Operation().SymbolTable()
	if err != nil {
		return err
	}
	names := map[string]string{}
	for name, copies := range b.copies {
		if _, exists := table.Lookup(name); exists {
			continue
		}
		for _, c := range copies {
			if f, exists := table.Lookup(c.name); exists {
				f.SetSymbol(name)
				names[c.name] = name
				break
			}
		}
	}
	for op := range m.Operation().All() {
		attribute, from := calleeOf(op)
		if to, ok := names[from]; ok {
			op.SetAttribute(attribute, op.Context().SymbolAttribute(to))
		}
	}
	return nil
}

// calleeOf returns the function that an operation calls, and the attribute that names it.
func calleeOf(op mlir.Operation) (attribute, name string) {
	attribute = map[string]string{"func.call": "callee", dialect + "composite": "decomposition"}[op.Name()]
	if attribute == "" {
		return "", ""
	}
	if a, ok := op.Attribute(attribute); ok {
		name, _ = a.Symbol()
	}
	return attribute, name
}

// takeBranch moves the operations of a branch before the operation that selects it, which it
// erases. It returns the first of what follows. The integers that the branch returns follow from
// the index if it does.
func (b *binder) takeBranch(selected mlir.Operation, branch mlir.Block, derived bool) (mlir.Operation, error) {
	op, last := branch.First(), branch.Terminator()
	for o := op; o != last; {
		next := o.Next()
		o.MoveBefore(selected)
		o = next
	}
	if op == last {
		op = selected.Next()
	}
	for i, v := range last.OperandValues() {
		if n, ok := numberOf(v); ok && derived {
			if err := b.replace(selected, i, n); err != nil {
				return op, err
			}
			continue
		}
		selected.Result(i).ReplaceAllUses(v)
	}
	return op, selected.Erase()
}

// selectedBranch returns the branch that a case or an if takes, if its index is a constant, and
// the index. An index that is out of range takes the last branch.
func selectedBranch(op mlir.Operation) (_ mlir.Block, index mlir.Value, ok bool) {
	if c, ok := AsCase(op); ok {
		n, ok := numberOf(c.Index)
		if !ok {
			return mlir.Block{}, index, false
		}
		i := len(c.Branches) - 1
		if n.value.IsInt64() && n.value.Int64() >= 0 && n.value.Int64() < int64(i) {
			i = int(n.value.Int64())
		}
		return c.Branches[i].First(), c.Index, true
	}
	if c, ok := AsIf(op); ok {
		n, ok := numberOf(c.Pred)
		if !ok {
			return mlir.Block{}, index, false
		}
		if n.value.Sign() == 0 {
			return c.FalseBranch.First(), c.Pred, true
		}
		return c.TrueBranch.First(), c.Pred, true
	}
	return mlir.Block{}, index, false
}
