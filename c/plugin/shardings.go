package main

import (
	"slices"

	"github.com/calliope-mlir/calliope/c/plugin/internal/abi"
	"github.com/calliope-mlir/calliope/stablehlo/sharding"
	"github.com/calliope-mlir/calliope/tensor"
)

func init() {
	on(abi.ParameterShardings, func(a *abi.ShardingsArgs) error {
		e := object[*executable](a.Executable)
		return e.fill(a, e.main.Tokens, e.params, e.main.Params)
	})
	on(abi.OutputShardings, func(a *abi.ShardingsArgs) error {
		e := object[*executable](a.Executable)
		return e.fill(a, e.main.Returned, e.results, e.main.Results)
	})
}

// fill says how arrays are divided. Tokens are before them. A program for one partition divides none.
func (e *executable) fill(a *abi.ShardingsArgs, tokens int, list []sharding.Sharding, shapes []tensor.Shape) error {
	texts, err := e.opShardings(tokens, list, shapes)
	a.Num = len(texts)
	a.Shardings, a.Sizes = e.strings(texts)
	return err
}

// opShardings returns OpShardings of tokens and arrays.
func (p *program) opShardings(tokens int, list []sharding.Sharding, shapes []tensor.Shape) ([]string, error) {
	texts := make([]string, tokens, tokens+len(shapes))
	for i, s := range shapes {
		one, err := p.opSharding(p.sharding(list, i), s)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(one))
	}
	return texts, nil
}

// The fields of an OpSharding, and its types.
const (
	fieldType       = 1
	fieldTiles      = 3
	fieldTileOwners = 4
	fieldElements   = 5
	fieldReplicates = 6

	ofTuple = 2
	tiled   = 3
)

// opTuple returns the OpSharding of a tuple.
func opTuple(list []string) string {
	proto := withNumber(nil, fieldType, ofTuple)
	for _, one := range list {
		proto = withText(proto, fieldElements, one)
	}
	return string(proto)
}

// opSharding returns an OpSharding. The empty one says that each device has the whole array.
func (p *program) opSharding(s sharding.Sharding, shape tensor.Shape) ([]byte, error) {
	if !s.IsKnown() {
		return nil, nil
	}
	tiles := s.Tiles()
	parts := 1
	for _, n := range tiles {
		parts *= n
	}
	if parts == 1 {
		return nil, nil
	}
	part, err := s.PartShape(shape)
	if err != nil {
		return nil, err
	}
	owners := make([][]int, parts) // devices by tile, in row-major order
	for device := range p.partitions {
		r, err := s.Region(shape, device)
		if err != nil {
			return nil, err
		}
		tile := 0
		for d, n := range tiles {
			tile = tile*n + r.Start[d]/max(part.Dims[d], 1)
		}
		owners[tile] = append(owners[tile], device)
	}
	copies := p.partitions / parts
	if copies > 1 {
		tiles = append(tiles, copies)
	}
	data := withNumbers(withNumber(nil, fieldType, tiled), fieldTiles, tiles)
	data = withNumbers(data, fieldTileOwners, slices.Concat(owners...))
	if copies > 1 {
		data = withNumber(data, fieldReplicates, 1)
	}
	return data, nil
}
