package gomlx

import (
	"maps"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"github.com/calliope-mlir/calliope/interpreter"
)

// missing are the operations that the backend does not have. GoMLX makes fused ones of their parts.
var missing = map[compute.OpType]bool{
	compute.OpTypeInvalid: true, compute.OpTypeLast: true,
	compute.OpTypeCollectiveBroadcast: true, compute.OpTypeAllGather: true, // not in the interface
	compute.OpTypeSelectAndScatterSum: true, compute.OpTypeBlockForDotGeneral: true, // not in the interface
	compute.OpTypeFusedSoftmax: true, compute.OpTypeFusedLayerNorm: true, compute.OpTypeFusedGelu: true,
	compute.OpTypeFusedDense: true, compute.OpTypeFusedScaledDotProductAttention: true,
	compute.OpTypeFusedScaledDotProductAttentionVJP: true, compute.OpTypeFusedAttentionQKVProjection: true,
	compute.OpTypeFusedQuantizedDense: true, compute.OpTypeQuantizedEmbeddingLookup: true,
}

// Capabilities returns the operations and element types that the backend has.
func (b *Backend) Capabilities() compute.Capabilities {
	c := compute.Capabilities{Operations: map[compute.OpType]bool{}, Functions: true, DynamicAxes: b.dynamic,
		DTypes: map[dtypes.DType]bool{}}
	for _, op := range compute.OpTypeValues() {
		c.Operations[op] = true
	}
	maps.DeleteFunc(c.Operations, func(op compute.OpType, _ bool) bool { return missing[op] })
	if b.session.Engine() == interpreter.Engine() {
		delete(c.Operations, compute.OpTypeRNGBitGenerator) // the interpreter has none
	}
	for d := range elements {
		c.DTypes[d] = true
	}
	return c
}
