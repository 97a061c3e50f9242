package main

import (
	"fmt"
	"unsafe"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/internal/run/element"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

func init() {
	on(abi.ExecutableOptimizedProgram, func(a *abi.ExecutableOptimizedProgramArgs) error {
		e := object[*executable](a.Executable)
		to, save := abi.Within[abi.Program](unsafe.Pointer(a.Program.Get()))
		if to.Code != 0 {
			if to.CodeSize < len(e.optimized) {
				return fmt.Errorf("%w: there is room for %d bytes, and the program has %d", errMistaken, to.CodeSize,
					len(e.optimized))
			}
			copy(abi.Bytes(to.Code, len(e.optimized)), e.optimized)
		}
		to.CodeSize = len(e.optimized)
		to.Format, to.FormatSize = e.string("hlo_with_config")
		save()
		return nil
	})
}

// The numbers of fields in xla/service/hlo.proto and xla/xla_data.proto.
const (
	programModule = 1 // of HloModuleProtoWithConfig
	programConfig = 2

	configLayout     = 1
	configReplicas   = 4
	configPartitions = 5

	moduleName         = 1
	moduleEntryName    = 2
	moduleComputation  = 3
	moduleShape        = 4
	moduleEntry        = 6
	moduleResultParts  = 12
	moduleParamParts   = 14
	computationName    = 1
	computationOp      = 2
	computationShape   = 4
	computationID      = 5
	computationRoot    = 6
	opName             = 1
	opCode             = 2
	opShape            = 3
	opMetadata         = 7
	opParameter        = 9
	opTarget           = 28
	opID               = 35
	opOperands         = 36
	opCalls            = 38
	opConfig           = 43
	opVersion          = 77
	metadataFile       = 3
	metadataLine       = 4
	shapeType          = 2
	shapeDims          = 3
	shapeTuple         = 4
	shapeLayout        = 5
	layoutOrder        = 1
	programShapeParam  = 1
	programShapeResult = 2
	programShapeName   = 3

	tupleType = 13
	typedFFI  = 4
)

// describeCode sets the program as XLA would describe what it compiled: one call of what package jit has made, which
// makes the custom calls of the module, each in a computation of its own.
func (p *program) describeCode(m *mlir.Module) error {
	h := hlo{}
	params := make([]tensor.Shape, p.main.Tokens)
	for i := range params {
		params[i] = tensor.ShapeOf(tensor.Token)
	}
	for i, s := range p.main.Params {
		s, err := p.part(p.params, i, s)
		if err != nil {
			return fmt.Errorf("parameter %d: %w", i, err)
		}
		params = append(params, s)
	}
	results, err := p.outputs()
	if err != nil {
		return err
	}
	var calls []uint64
	for op := range m.Operation().Index().Named("stablehlo.custom_call") {
		if err := h.call(op); err != nil {
			return err
		}
		calls = append(calls, uint64(h.computations))
	}
	p.apart = h.elements+elements(params)+elements(results) > mostInCall
	in, out := protos(params, nil), tuple(protos(results, nil))
	h.computation("main", in, out, "calliope", "", "", calls)
	h.module = withText(h.module, moduleName, p.name)
	h.module = withText(h.module, moduleEntryName, "main")
	h.module = withNumber(h.module, moduleEntry, uint64(h.computations))
	h.module = withText(h.module, moduleShape, programShape(in, out))
	if p.partitions > 1 {
		of, err := p.opShardings(p.main.Tokens, p.params, p.main.Params)
		if err != nil {
			return err
		}
		for _, one := range of {
			h.module = withText(h.module, moduleParamParts, one)
		}
		if of, err = p.opShardings(p.main.Returned, p.results, p.main.Results); err != nil {
			return err
		}
		h.module = withText(h.module, moduleResultParts, opTuple(of))
	}
	config := withText(nil, configLayout, programShape(in, out))
	config = withNumber(config, configReplicas, uint64(p.replicas))
	config = withNumber(config, configPartitions, uint64(p.partitions))
	p.optimized = withText(withText(nil, programModule, h.module), programConfig, config)
	return nil
}

// An hlo is a HloModuleProto that is written.
type hlo struct {
	module       []byte
	computations int
	ops          uint64
	elements     int // of what calls take and return
}

func elements(shapes []tensor.Shape) (n int) {
	for _, s := range shapes {
		n += s.NumElements()
	}
	return n
}

// call adds a computation that makes a custom call.
func (h *hlo) call(op mlir.Operation) error {
	c, _ := stablehlo.AsCustomCall(op)
	var shapes [2][]tensor.Shape
	for i, types := range [][]mlir.Type{mlir.TypesOf(c.Operands), c.Results} {
		for _, t := range types {
			s := tensor.ShapeOf(tensor.Token)
			if !stablehlo.IsToken(t) {
				var err error
				if s, err = stablehlo.ShapeOf(t); err != nil {
					return err
				}
			}
			shapes[i] = append(shapes[i], s)
		}
	}
	config, _ := stablehlo.TypedConfig(op)
	attributes := ""
	if !config.IsNil() {
		attributes = config.String()
	}
	h.elements += elements(shapes[0]) + elements(shapes[1])
	at := op.Location().Position()
	place := withNumber(withText(nil, metadataFile, at.File), metadataLine, uint64(at.Line))
	results := protos(shapes[1], c.ResultLayouts)
	result := tuple(results)
	if len(results) == 1 {
		result = results[0]
	}
	h.computation(fmt.Sprintf("call.%d", h.computations), protos(shapes[0], c.OperandLayouts), result, c.Target,
		attributes, string(place), nil)
	return nil
}

// computation adds one whose result is that of a custom call of its parameters.
func (h *hlo) computation(name string, params []string, result, target, config, place string, calls []uint64) {
	h.computations++
	var c []byte
	var operands []uint64
	add := func(code, shape string) []byte {
		h.ops++
		op := withText(withText(nil, opName, fmt.Sprintf("op.%d", h.ops)), opCode, code)
		return withNumber(withText(op, opShape, shape), opID, h.ops)
	}
	for i, s := range params {
		c = withText(c, computationOp, withNumber(add("parameter", s), opParameter, uint64(i)))
		operands = append(operands, h.ops)
	}
	op := withText(withText(add("custom-call", result), opTarget, target), opConfig, config)
	op = withNumbers(withNumbers(op, opOperands, operands), opCalls, calls)
	op = withNumber(withText(op, opMetadata, place), opVersion, typedFFI)
	c = withText(withText(c, computationOp, op), computationName, name)
	c = withNumber(withNumber(c, computationID, uint64(h.computations)), computationRoot, h.ops)
	c = withText(c, computationShape, programShape(params, result))
	h.module = withText(h.module, moduleComputation, c)
}

// protos returns shapes as ShapeProtos. layouts have the orders of their dimensions, that of adjacent elements first;
// none is row-major.
func protos(shapes []tensor.Shape, layouts [][]int64) []string {
	list := make([]string, len(shapes))
	for i, s := range shapes {
		proto := withNumber(nil, shapeType, uint64(element.ToFFI(s.DType)))
		if s.DType != tensor.Token {
			order := descending(s.Rank())
			if i < len(layouts) {
				order = layouts[i]
			}
			proto = withText(withNumbers(proto, shapeDims, s.Dims), shapeLayout, withNumbers(nil, layoutOrder, order))
		}
		list[i] = string(proto)
	}
	return list
}

func tuple(shapes []string) string {
	proto := withNumber(nil, shapeType, tupleType)
	for _, s := range shapes {
		proto = withText(proto, shapeTuple, s)
	}
	return string(proto)
}

func programShape(params []string, result string) string {
	var proto []byte
	for i, s := range params {
		proto = withText(proto, programShapeParam, s)
		proto = withText(proto, programShapeName, fmt.Sprint("arg", i))
	}
	return string(withText(proto, programShapeResult, result))
}
