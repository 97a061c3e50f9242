package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// ClampNestedSlices clamps the starts of slices of slices, unless they are known to be in range. XLA makes one slice of
// the two, and adds their starts before it clamps the sum. A gather and a scatter of one window are such slices, too.
// It returns the number of operations whose starts it clamped. Their indices must be signed, and of 32 or 64 bits: see
// widenIndices.
func ClampNestedSlices(m *mlir.Module) (int, error) {
	list := nestedSlices(m, m.Operation().Index(), false)
	for _, w := range list {
		e := before(w.op)
		for i, bounds := range w.bounds {
			v := w.op.Operand(1 + i)
			element, _ := v.Type().Element()
			var most []mlir.Attribute
			for _, n := range bounds {
				most = append(most, e.Context().IntegerAttribute(element, n))
			}
			w.op.SetOperand(1+i, stablehlo.Clamp(e.Builder, e.Zeros(v.Type()), v, e.constant(v.Type(), most...)))
		}
		if e.Cause() != nil {
			return 0, e.Cause()
		}
	}
	return len(list), nil
}

// A window is an operation that reads one part of an array, at indices that XLA clamps.
type window struct {
	op     mlir.Operation
	bounds [][]int64 // for each operand with indices, and for each of these: the largest one in range
}

var windows = []string{"stablehlo.dynamic_slice", "stablehlo.gather"}

// asWindow returns an operation as a window. It returns false if the operation is another one, or has no indices.
func asWindow(op mlir.Operation) (w window, ok bool) {
	if !slices.Contains(windows, op.Name()) || op.NumOperands() < 2 || !isStatic(op) || isNarrowIndex(op.Operand(1)) {
		return w, false
	}
	w.op = op
	dims, _ := op.Operand(0).Type().Dims()
	if op.Name() == "stablehlo.dynamic_slice" {
		sizes, _ := op.Result(0).Type().Dims()
		for d, n := range dims {
			w.bounds = append(w.bounds, []int64{n - sizes[d]})
		}
		return w, true
	}
	o, ok := stablehlo.AsGather(op)
	at := o.DimensionNumbers.StartIndexMap
	if n, _ := op.Operand(1).Type().NumElements(); !ok || int(n) != len(at) || n == 0 {
		return w, false
	}
	w.bounds = make([][]int64, 1)
	for _, d := range at {
		w.bounds[0] = append(w.bounds[0], dims[d]-o.SliceSizes[d])
	}
	return w, true
}

// isInRange reports whether all indices are known to be in range.
func (w window) isInRange() bool {
	for i, bounds := range w.bounds {
		v := w.op.Operand(1 + i)
		vector := -1
		if len(bounds) > 1 {
			dims, _ := v.Type().Dims()
			vector = slices.Index(dims, int64(len(bounds)))
		}
		for k, most := range bounds {
			if r := rangeOf(v, vector, int64(k)); r.least < 0 || r.most > most {
				return false
			}
		}
	}
	return true
}

// nestedSlices returns the windows of windows, and those that these are of, that are not known to be in range. If
// certain is true, there is nothing between the two but what gives an array another shape; otherwise anything, because
// XLA may make nothing of it.
func nestedSlices(m *mlir.Module, index *mlir.Index, certain bool) (list []window) {
	if !index.Has(windows...) {
		return nil
	}
	s := readSame(m, index)
	if !certain {
		s.joinRegions(index)
	}
	nested, seen := map[mlir.Operation]bool{}, map[mlir.Value]bool{}
	var search func(v mlir.Value) bool
	search = func(v mlir.Value) (found bool) {
		root := s.sets.find(v)
		if known, ok := seen[root]; ok {
			return known
		}
		seen[root] = false // in a loop
		for _, v := range s.of(v) {
			if !v.IsResult() {
				continue
			}
			op := v.Owner()
			if _, ok := asWindow(op); ok {
				nested[op], found = true, true
			}
			behind := op.OperandValues()
			switch {
			case slices.Contains(windows, op.Name()):
				behind = behind[:1]
			case certain && !slices.Contains(shaping, op.Name()) && op.Name() != barrier:
				behind = nil
			}
			for _, v := range behind {
				found = search(v) || found
			}
		}
		seen[root] = found
		return found
	}
	for op := range index.Named(windows...) {
		if _, ok := asWindow(op); ok && search(op.Operand(0)) {
			nested[op] = true
		}
	}
	for op := range index.Named("stablehlo.scatter") { // of one window, which XLA reads and writes as slices
		search(op.Operand(0))
	}
	for op := range index.Named(windows...) {
		if w, ok := asWindow(op); ok && nested[op] && !w.isInRange() {
			list = append(list, w)
		}
	}
	return list
}

// joinRegions joins what loops and branches get and return, too.
func (s same) joinRegions(index *mlir.Index) {
	for op := range index.Named(controls...) {
		for _, region := range op.Regions() {
			if region.NumBlocks() != 1 {
				continue
			}
			for i, v := range region.First().Arguments() {
				s.join(v, op.Operand(i))
			}
			for i, v := range region.First().Terminator().Operands() {
				if i < op.NumResults() && v.Type() == op.Result(i).Type() {
					s.join(v, op.Result(i))
				}
			}
		}
	}
	for op := range index.Named("stablehlo.while") {
		for i, v := range op.Operands() {
			s.join(v, op.Result(i))
		}
	}
}
