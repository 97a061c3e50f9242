package xlafix

import (
	"slices"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// SeparateChannels gives a reduction over devices a channel of its own if an earlier one of its channel is of other
// types, as derivatives and batches have them: XLA gives the arrays of a channel one layout, and refuses those that
// cannot have it. It returns the number of reductions that it changed.
func SeparateChannels(m *mlir.Module) (int, error) { return separateChannels(m, m.Operation().Index()) }

const allReduce = "stablehlo.all_reduce"

func separateChannels(m *mlir.Module, index *mlir.Index) (int, error) {
	n, last, types := 0, int64(0), map[int64][]mlir.Type{}
	for op := range index.Named("stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all",
		"stablehlo.collective_broadcast", "stablehlo.collective_permute", "stablehlo.collective_reduce",
		"stablehlo.recv", "stablehlo.reduce_scatter", "stablehlo.send") {
		a, _ := op.Attribute("channel_handle")
		channel, _ := stablehlo.AsChannelHandle(a)
		last = max(last, channel.Handle)
	}
	for op := range index.Named(allReduce) {
		o, ok := stablehlo.AsAllReduce(op)
		if !ok || o.ChannelHandle == nil || o.ChannelHandle.Handle == 0 {
			continue
		}
		of := mlir.TypesOf(o.Operands)
		channel := *o.ChannelHandle
		known, taken := types[channel.Handle]
		if !taken {
			types[channel.Handle] = of
		}
		if !taken || slices.Equal(known, of) {
			continue
		}
		last++
		channel.Handle = last
		a, err := channel.Attribute(m.Context())
		if err != nil {
			return n, err
		}
		op.SetAttribute("channel_handle", a)
		n++
	}
	return n, nil
}
