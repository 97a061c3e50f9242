package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// SparseAttribute returns sparse<indices, values> : t, which is zero except for the values
// at the indices. indices are dense elements of i64 with one row of coordinates for each
// value: tensor<NxRxi64>, where R is the rank of t. values are dense elements of t's
// element type: tensor<Nx…>.
func (c *Context) SparseAttribute(t Type, indices, values Attribute) (Attribute, error) {
	raw, elem, _, err := c.denseType(t, "Context.SparseAttribute")
	if err != nil {
		return Attribute{}, err
	}
	rawIndices, rawValues := indices.in(c, "Context.SparseAttribute"), values.in(c, "Context.SparseAttribute")
	if indices.Kind() != AttrDenseElements || values.Kind() != AttrDenseElements {
		return Attribute{},
			fmt.Errorf("mlir: the indices and values of sparse elements must be dense elements, not %s and %s",
				indices.Kind(), values.Kind())
	}
	dims, _ := t.Dims()
	it, _ := indices.Type()
	vt, _ := values.Type()
	iDims, _ := it.Dims()
	vDims, _ := vt.Dims()
	if len(iDims) != 2 || len(vDims) != 1 || iDims[0] != vDims[0] || iDims[1] != int64(len(dims)) {
		return Attribute{}, fmt.Errorf("mlir: the sparse elements of %s need indices of type tensor<Nx%dxi64> and values of type tensor<Nx%s>, not %s and %s",
			t, len(dims), elem, it, vt)
	}
	if of, _ := vt.Element(); !of.Equal(elem) {
		return Attribute{}, fmt.Errorf("mlir: values of type %s are not elements of %s", vt, t)
	}
	if _, ok := elementLayout(elem); !ok {
		return Attribute{},
			fmt.Errorf("mlir: sparse elements cannot have the element type %s: it has no zero value", elem)
	}
	ie, _ := it.Element()
	if !ie.Equal(c.IntegerType(64, Signless)) {
		return Attribute{}, fmt.Errorf("mlir: the indices of sparse elements must be i64, not %s", ie)
	}
	coordinates, err := DenseOf[int64](indices)
	if err != nil {
		return Attribute{}, err
	}
	if err := indices.expands(int64(coordinates.Len()), 8); err != nil {
		return Attribute{}, err
	}
	for i, x := range coordinates.All() {
		if axis := i % len(dims); x < 0 || x >= dims[axis] {
			return Attribute{},
				fmt.Errorf("mlir: the index %d of sparse elements is outside dimension %d of %s", x, axis, t)
		}
	}
	return c.attribute(capi.MlirSparseElementsAttribute(c.api, raw, rawIndices, rawValues)), nil
}

// SparseParts returns the indices and values of sparse elements. Both are dense elements.
// ok is false for any other attribute.
func (a Attribute) SparseParts() (indices, values Attribute, ok bool) {
	api := a.check("Attribute.SparseParts")
	if !capi.MlirAttributeIsASparseElements(api, a.raw) {
		return Attribute{}, Attribute{}, false
	}
	return Attribute{a.life, capi.MlirSparseElementsAttrGetIndices(api, a.raw)},
		Attribute{a.life, capi.MlirSparseElementsAttrGetValues(api, a.raw)}, true
}
