package bridge

import (
	"fmt"
	"strconv"
	"strings"
)

// InputShardings returns how the parameters of a partitioned module are divided, in the
// order of [Executable.Inputs]. The compiler may have chosen this, where the module does not
// say it. Each text has XLA's form, such as {devices=[2,2]<=[4]}, which Parse of
// stablehlo/sharding reads; {unknown} is one that has no such form. The devices in it are
// partitions, in the order in which [Executable.Run] takes their inputs. The result is nil if
// the module is not partitioned, or if the plugin does not report the shardings.
func (e *Executable) InputShardings() []string {
	e.given("InputShardings")
	if e.partitions < 2 || !e.known {
		return nil
	}
	const module, parameters = 1, 14
	list := []string{}
	for f := range fields(first(e.xla.Program, module).bytes, parameters) {
		list = append(list, shardingText(f.bytes))
	}
	return e.withoutTokens(list, len(e.params))
}

// withoutTokens returns the n elements of a list that are not of runtime tokens, or nil if the list
// is too short.
func (e *Executable) withoutTokens(list []string, n int) []string {
	list = list[min(e.afterTokens(), len(list)):]
	if len(list) < n {
		return nil
	}
	return list[:n:n]
}

// OutputShardings is InputShardings for the results, in the order of [Executable.Outputs].
func (e *Executable) OutputShardings() []string {
	e.given("OutputShardings")
	if e.partitions < 2 || e.results == nil {
		return nil
	}
	const module, output = 1, 12
	for f := range fields(first(e.xla.Program, module).bytes, output) {
		return e.withoutTokens(tupleOf(f.bytes), len(e.results))
	}
	return nil
}

// The types of an OpSharding of xla/xla_data.proto.
const (
	shardingReplicated = 0
	shardingMaximal    = 1
	shardingTuple      = 2
	shardingOther      = 3
	shardingManual     = 4
)

// tupleOf returns the texts of a tuple's elements, or of the only sharding.
func tupleOf(sharding []byte) (list []string) {
	const typ, elements = 1, 5
	if first(sharding, typ).number != shardingTuple {
		return []string{shardingText(sharding)}
	}
	list = []string{}
	for f := range fields(sharding, elements) {
		list = append(list, shardingText(f.bytes))
	}
	return list
}

const unknownSharding = "{unknown}"

// namedText returns a NamedShardingProto as text, which newer plugins have for arrays that
// are not divided. Other ones are unknown.
func namedText(sharding []byte) string {
	const mesh, dims, unreduced, axes, devices = 2, 3, 5, 1, 2
	for f := range fields(sharding, dims) {
		for range fields(f.bytes, axes) {
			return unknownSharding
		}
	}
	for range fields(sharding, unreduced) {
		return unknownSharding
	}
	on := first(sharding, mesh).bytes
	for range fields(on, axes) {
		return "{replicated}"
	}
	if device := numberList(on, devices); device != "" {
		return fmt.Sprintf("{maximal device=%s}", device)
	}
	return "{replicated}"
}

// shardingText returns an OpSharding as text.
func shardingText(sharding []byte) string {
	const typ, dims, devices, replicateLast, lastDims, iota, perm, named = 1, 3, 4, 6, 8, 9, 10, 14
	for f := range fields(sharding, named) {
		return namedText(f.bytes)
	}
	switch first(sharding, typ).number {
	case shardingReplicated:
		return "{replicated}"
	case shardingMaximal:
		return fmt.Sprintf("{maximal device=%s}", numberList(sharding, devices))
	case shardingManual:
		return "{manual}"
	case shardingOther:
	default:
		return unknownSharding
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{devices=[%s]", numberList(sharding, dims))
	if shape := numberList(sharding, iota); shape != "" {
		fmt.Fprintf(&b, "<=[%s]", shape)
		if order := numberList(sharding, perm); strings.Contains(order, ",") {
			fmt.Fprintf(&b, "T(%s)", order)
		}
	} else {
		b.WriteString(numberList(sharding, devices))
	}
	var last []string
	for f := range fields(sharding, lastDims) {
		for _, n := range f.numbers() {
			switch n {
			case shardingReplicated:
				last = append(last, "replicated")
			case shardingManual:
				last = append(last, "manual")
			default:
				return unknownSharding
			}
		}
	}
	switch {
	case last != nil:
		fmt.Fprintf(&b, " last_tile_dims={%s}", strings.Join(last, ","))
	case first(sharding, replicateLast).number != 0:
		b.WriteString(" last_tile_dim_replicate")
	}
	b.WriteString("}")
	return b.String()
}

// numberList returns a repeated field with commas between the elements.
func numberList(message []byte, number uint64) string {
	var list []string
	for f := range fields(message, number) {
		for _, n := range f.numbers() {
			list = append(list, strconv.FormatUint(n, 10))
		}
	}
	return strings.Join(list, ",")
}
