package mlir

import (
	"fmt"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
)

// InfersTypes reports whether the operation with the given name can infer its result types.
// Context.InferTypes needs AllowInference for it, too.
func (c *Context) InfersTypes(operation string) bool {
	t := c.life.check("Context.InfersTypes")
	registered := c.Registered(operation)
	if c.isShardy(operation) {
		return registered && shardyform.Infers(operation)
	}
	return registered &&
		capi.MlirOperationImplementsInterfaceStatic(t, operation, c.raw, capi.MlirInferTypeOpInterfaceTypeID(t))
}

// InfersShapes reports whether the operation with the given name can infer the shapes of
// its results.
func (c *Context) InfersShapes(operation string) bool {
	t := c.life.check("Context.InfersShapes")
	return c.Registered(operation) &&
		capi.MlirOperationImplementsInterfaceStatic(t, operation, c.raw, capi.MlirInferShapedTypeOpInterfaceTypeID(t))
}

// InferTypes returns the result types that an operation created from s would have.
// AllowInference must have been called for it. InferTypes refuses regions, because they
// would be destroyed.
func (c *Context) InferTypes(s OperationState) ([]Type, error) {
	c.life.check("Context.InferTypes")
	if len(s.Regions) > 0 {
		return nil, fmt.Errorf("mlir: the result types of %s with regions are known only once it is created", s.Name)
	}
	// The library's function for this reads properties that cannot be passed to it, and
	// crashes. Creating an operation and reading its results does not.
	s.InferResults = true
	op, err := Create(c, s)
	if err != nil {
		return nil, err
	}
	types := TypesOf(op.ResultValues())
	return types, op.Erase()
}
