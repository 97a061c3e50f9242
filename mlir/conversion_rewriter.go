package mlir

import (
	"errors"
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A ConversionRewriter makes the changes of a ConversionPattern. The library carries them
// out when the conversion succeeds: until then, an operation that was replaced stays where it
// is, and its users use its results. Operations that Create adds are converted, too, if they
// are not legal.
type ConversionRewriter struct {
	rewriter  *Rewriter
	raw       capi.MlirConversionPatternRewriter
	types     *TypeConverter
	converter capi.MlirTypeConverter
	operands  []Value
	sizes     []int // of operands, for each operand before the conversion
	root      capi.MlirOperation
	converted bool // root was replaced, erased or modified
}

// Context returns the context that the rewriter works in.
func (r *ConversionRewriter) Context() *Context { return r.rewriter.Context() }

// Operand returns the values that the i-th operand was converted to. It panics if i is out
// of range.
func (r *ConversionRewriter) Operand(i int) []Value {
	r.rewriter.life.check("ConversionRewriter.Operand")
	inRange("ConversionRewriter.Operand", i, len(r.sizes))
	from := 0
	for _, n := range r.sizes[:i] {
		from += n
	}
	return r.operands[from : from+r.sizes[i] : from+r.sizes[i]]
}

// Types returns what the TypeConverter of the pattern converts types to, one after the
// other. ok is false if one of them cannot be converted.
func (r *ConversionRewriter) Types(types ...Type) (to []Type, ok bool) {
	r.rewriter.life.check("ConversionRewriter.Types")
	for _, t := range types {
		t.in(r.rewriter.c, "ConversionRewriter.Types")
		if r.types == nil {
			to = append(to, t)
			continue
		}
		list, ok := r.types.Convert(t)
		if !ok {
			return nil, false
		}
		to = append(to, list...)
	}
	return to, true
}

// SetInsertionPoint sets where operations are inserted, as Rewriter.SetInsertionPoint does.
func (r *ConversionRewriter) SetInsertionPoint(ip InsertionPoint) { r.rewriter.SetInsertionPoint(ip) }

// Block returns the block that the insertion point is in, or the nil Block if there is none.
func (r *ConversionRewriter) Block() Block { return r.rewriter.Block() }

// Insert inserts a detached operation at the insertion point, which is after it then.
func (r *ConversionRewriter) Insert(o Operation) (Operation, error) { return r.rewriter.Insert(o) }

// NewBlock creates a block before another one in its region, and sets the insertion point
// to its end. The arguments are all at one location.
func (r *ConversionRewriter) NewBlock(before Block, loc Location, arguments ...Type) Block {
	return r.rewriter.NewBlock(before, loc, arguments...)
}

// ModifyInPlace calls f, which may set the attributes, operands and location of the
// operation. If f returns an error, the operation counts as unchanged.
func (r *ConversionRewriter) ModifyInPlace(o Operation, f func() error) error {
	err := r.rewriter.ModifyInPlace(o, f)
	r.converted = r.converted || err == nil && o.raw == r.root
	return err
}

// MoveRegion moves the blocks of a region to the end of another one, which is empty.
func (r *ConversionRewriter) MoveRegion(from, to Region) error {
	const method = "ConversionRewriter.MoveRegion"
	t := r.rewriter.life.check(method)
	source, dest := from.in(r.rewriter.c, method), to.in(r.rewriter.c, method)
	if !to.First().IsNil() {
		return errors.New("mlir: " + method + " was given a region that is not empty")
	}
	if source == dest || from.First().IsNil() {
		return nil
	}
	// The library moves blocks before a block.
	end := capi.MlirBlockCreate(t, 0, nil, nil)
	capi.MlirRegionAppendOwnedBlock(t, dest, end)
	for b := capi.MlirRegionGetFirstBlock(t, source); b.Ptr != nil; b = capi.MlirRegionGetFirstBlock(t, source) {
		capi.MlirRewriterBaseMoveBlockBefore(t, r.rewriter.raw, b, end)
	}
	capi.MlirBlockDetach(t, end)
	capi.MlirBlockDestroy(t, end)
	return nil
}

// ConvertRegion converts the types of the arguments of the region's blocks with the
// TypeConverter of the pattern.
func (r *ConversionRewriter) ConvertRegion(region Region) error {
	const method = "ConversionRewriter.ConvertRegion"
	t := r.rewriter.life.check(method)
	raw := region.in(r.rewriter.c, method)
	if capi.MlirConversionPatternRewriterConvertRegionTypes(t, r.raw, raw, r.converter).Value == 0 {
		return errors.New("mlir: " + method +
			": an argument of the region has a type that the TypeConverter does not convert")
	}
	return nil
}

// Replace replaces the results of an operation by other values, one for each result, and
// erases the operation. The values may be of other types than the results.
func (r *ConversionRewriter) Replace(o Operation, values ...Value) {
	const method = "ConversionRewriter.Replace"
	r.rewriter.life.check(method)
	if n := o.NumResults(); n != len(values) {
		panic(fmt.Sprintf("mlir: %s was given %d values instead of %d", method, len(values), n))
	}
	parts := make([][]Value, len(values))
	for i := range values {
		parts[i] = values[i : i+1]
	}
	r.replace(o, parts, method)
}

// ReplaceWith replaces the results of an operation by those of another one, which must have
// as many, and erases the first operation.
func (r *ConversionRewriter) ReplaceWith(o, by Operation) { r.Replace(o, by.ResultValues()...) }

// ReplaceParts replaces each result of an operation by any number of values, and erases the
// operation. There must be one list for each result.
func (r *ConversionRewriter) ReplaceParts(o Operation, parts ...[]Value) {
	const method = "ConversionRewriter.ReplaceParts"
	r.rewriter.life.check(method)
	if n := o.NumResults(); n != len(parts) {
		panic(fmt.Sprintf("mlir: %s was given %d lists of values instead of %d", method, len(parts), n))
	}
	r.replace(o, parts, method)
}

func (r *ConversionRewriter) replace(o Operation, parts [][]Value, method string) {
	t, c := r.rewriter.c.api, r.rewriter.c
	op, _ := r.rewriter.placed(o, method)
	r.replaceable(o, op, method)
	var sizes []int
	var values []capi.MlirValue
	for _, list := range parts {
		sizes = append(sizes, len(list))
		for _, v := range list {
			values = append(values, v.in(c, method))
			r.rewriter.inTree(o, v, method)
			if v.Owner() == o {
				panic("mlir: " + method + " was given a result of the operation that it erases")
			}
		}
	}
	r.leave(op)
	capi.ReplaceWithParts(t, r.raw, op, sizes, values)
	c.forget([]capi.Thing{{Ptr: op.Ptr, Kind: capi.OperationKind}}, erasedBy(method))
}

// leave prepares the rewriter for the end of an operation.
func (r *ConversionRewriter) leave(op capi.MlirOperation) {
	r.rewriter.leave(r.rewriter.c.api, op)
	r.converted = r.converted || capi.Inside(r.rewriter.c.api, r.root, op.Ptr)
}

// replaceable panics if the library would destroy an operation that it works on.
func (r *ConversionRewriter) replaceable(o Operation, op capi.MlirOperation, method string) {
	for call := range r.rewriter.c.calls.at(r.rewriter.call.top) {
		if capi.Inside(r.rewriter.c.api, call.on, op.Ptr) {
			panic("mlir: " + method + " was called on the operation that the conversion runs on, or on one around it")
		}
	}
}

// Erase erases an operation. Its results must not be used by operations that stay.
func (r *ConversionRewriter) Erase(o Operation) {
	const method = "ConversionRewriter.Erase"
	t := r.rewriter.life.check(method)
	op, _ := r.rewriter.placed(o, method)
	r.replaceable(o, op, method)
	r.leave(op)
	capi.MlirRewriterBaseEraseOp(t, r.rewriter.raw, op)
	r.rewriter.c.forget([]capi.Thing{{Ptr: op.Ptr, Kind: capi.OperationKind}}, erasedBy(method))
}
