package jit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/jit/internal/extern"
	"github.com/calliope-mlir/calliope/jit/internal/runtime"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/arith"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// A Profile is what a run has spent its time on.
type Profile struct {
	Begin  time.Time
	Pieces []Piece // in the order of the code
	Laps   []Lap   // the first 65536, in the order of time
}

// A Piece is a part of the compiled code, and the time that it took in a run.
type Piece struct {
	Operations []Operation // of the module, which it computes together
	Count      int         // how often it ran
	Time       time.Duration
}

// A Lap is one time that a run was in a piece.
type Lap struct {
	Piece      int // in Profile.Pieces
	Begin, End time.Duration
}

// A profiler has the pieces of a module whose runs are measured.
type profiler struct {
	names  map[mlir.Position]string // of the operations of the module
	pieces []Piece
	report func(Profile)
}

// newProfiler returns the profiler of a module before anything is lowered, or nil if there is no report.
func newProfiler(m *mlir.Module, report func(Profile)) *profiler {
	if report == nil {
		return nil
	}
	p := &profiler{names: map[mlir.Position]string{}, report: report}
	for op := range m.Operation().All() {
		dialect, name, _ := strings.Cut(op.Name(), ".")
		if dialect != "stablehlo" && dialect != "chlo" || name == "constant" || name == "return" {
			continue
		}
		at := op.Location().Position()
		if at == op.Parent().Location().Position() {
			continue // it is what the other one computes
		}
		if before := p.names[at]; before != "" && !slices.Contains(strings.Split(before, ", "), op.Name()) {
			p.names[at] = before + ", " + op.Name() // of one line of a program in Go
		} else {
			p.names[at] = op.Name()
		}
	}
	return p
}

// addLaps adds a call to main after each piece of it, if runs are measured. Later steps make loops of the pieces.
func addLaps(m *mlir.Module, e *Executable) error {
	if e.profiler == nil {
		return nil
	}
	if _, err := extern.Define(m, "calliope_jit_lap", "func.func private @calliope_jit_lap(i64)"); err != nil {
		return err
	}
	f, err := main(m)
	if err != nil {
		return err
	}
	e.profiler.pieces = nil // of an attempt before
	_, err = e.profiler.addTo(f.Region(0).First())
	return err
}

// addTo adds calls to a block, and reports whether it has pieces.
func (p *profiler) addTo(block mlir.Block) (some bool, err error) {
	for _, op := range slices.Collect(block.Operations()) {
		inside := false
		if isPiece(op) {
			some = true
		} else {
			for _, r := range op.Regions() {
				for b := range r.Blocks() {
					has, err := p.addTo(b)
					if err != nil {
						return false, err
					}
					inside = inside || has
				}
			}
			some = some || inside
			if inside || op.NumRegions() == 0 {
				continue
			}
			some = true
		}
		b := mlir.NewBuilder(mlir.After(op), op.Location())
		i64 := b.Context().IntegerType(64, mlir.Signless)
		function.Call(b, nil, "calliope_jit_lap", arith.ConstantInt(b, i64, int64(len(p.pieces))))
		if b.Err() != nil {
			return false, b.Err()
		}
		p.pieces = append(p.pieces, Piece{Operations: p.operations(op)})
	}
	return some, nil
}

// isPiece reports whether an operation computes or copies arrays.
func isPiece(op mlir.Operation) bool {
	switch op.Name() {
	case "memref.copy", "func.call":
		return true
	case "scf.for":
		_, isChain := op.Discardable(chained)
		return isChain
	case "llvm.call":
		callee, _ := op.Attribute("callee")
		name, _ := callee.Symbol()
		return name != "calliope_jit_check"
	}
	return strings.HasPrefix(op.Name(), "linalg.")
}

// operations returns those of the module that an operation computes, its own one last.
func (p *profiler) operations(op mlir.Operation) (list []Operation) {
	own := sourceOf(op)
	for inner := range op.All() {
		for _, at := range sourcesOf(inner.Location()) {
			if o := (Operation{p.names[at], at}); o.Name != "" && at != own && !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	slices.SortFunc(list, func(a, b Operation) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
	})
	return append(list, Operation{cmp.Or(p.names[own], op.Name()), own})
}

// sourceOf returns the position of an operation, which is that of the call if it was inlined, and of the last one of
// several.
func sourceOf(op mlir.Operation) mlir.Position {
	list := sourcesOf(op.Location())
	return list[len(list)-1]
}

// sourcesOf returns the positions of a location, of which a chain has one for each of its operations.
func sourcesOf(at mlir.Location) (list []mlir.Position) {
	for _, caller, ok := at.CallSite(); ok; _, caller, ok = at.CallSite() {
		at = caller
	}
	parts, _, _ := at.Fused()
	for _, part := range parts {
		list = append(list, sourcesOf(part)...)
	}
	if len(list) == 0 {
		list = append(list, at.Position())
	}
	return list
}

// run makes a run, and reports what it spent its time on.
func (p *profiler) run(f func() error) (err error) {
	made := Profile{Begin: time.Now(), Pieces: slices.Clone(p.pieces)}
	totals, laps, begin := runtime.Profiled(len(p.pieces), func() { err = f() })
	for i, t := range totals {
		made.Pieces[i].Count, made.Pieces[i].Time = int(t.Count), time.Duration(t.Time)
	}
	end := time.Duration(0)
	for _, l := range laps {
		lap := Lap{Piece: int(l.Piece), Begin: end, End: time.Duration(l.End - begin)}
		made.Laps, end = append(made.Laps, lap), lap.End
	}
	p.report(made)
	return err
}
