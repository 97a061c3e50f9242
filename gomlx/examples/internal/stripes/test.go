package stripes

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// test returns how many images the network tells right. The loop over the batches is a part of the graph.
func test(backend compute.Backend, store *model.Store, w Watch) (float32, error) {
	images, labels := stripes(1<<32, testBatches*batchSize)
	right, err := model.CallOnce(backend, store, func(scope *model.Scope, images, labels *graph.Node) *graph.Node {
		return count(scope, images, labels, w)
	}, images, labels)
	if err != nil {
		return 0, err
	}
	return tensors.ToScalar[float32](right), nil
}

// count counts what the network tells right. All that the loop uses is its state, because closures of go-xla cannot use
// values from outside.
func count(scope *model.Scope, images, labels *graph.Node, w Watch) *graph.Node {
	g := images.Graph()
	weights := slices.Collect(func(yield func(*model.Variable) bool) {
		for v := range scope.Store().IterVariables() {
			if v.Trainable && !yield(v) {
				return
			}
		}
	})
	initial := []*graph.Node{graph.Const(g, int32(0)), graph.Const(g, float32(0)), images, labels}
	for _, v := range weights {
		initial = append(initial, v.NodeValue(g))
	}
	state := func(g *graph.Graph) (params []*graph.Node) {
		for i, n := range initial {
			params = append(params, graph.Parameter(g, fmt.Sprint("state", i), n.Shape()))
		}
		return params
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		return []*graph.Node{graph.LessThan(state(g)[0], graph.Const(g, int32(testBatches)))}
	})
	next := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		s := state(g)
		for i, v := range weights {
			v.SetNodeValue(s[4+i])
		}
		hits := hitsOf(scope, s[0], s[2], s[3])
		if w.Batch != nil {
			w.Batch(s[0], hits)
		}
		return append([]*graph.Node{graph.Add(s[0], graph.Const(g, int32(1))), graph.Add(s[1], hits)}, s[2:]...)
	})
	for i, v := range weights {
		v.SetNodeValue(initial[4+i]) // as before the loop
	}
	return graph.While(more, next, initial...)[1]
}

// hitsOf returns how many images of a batch the network tells right.
func hitsOf(scope *model.Scope, batch, images, labels *graph.Node) *graph.Node {
	g := images.Graph()
	zero, first := graph.Const(g, int32(0)), graph.Mul(batch, graph.Const(g, int32(batchSize)))
	x := graph.DynamicSlice(images, []*graph.Node{first, zero, zero, zero}, []int{batchSize, size, size, 1})
	want := graph.DynamicSlice(labels, []*graph.Node{first, zero}, []int{batchSize, 1})
	got := graph.ArgMax(network(scope, x), -1, dtypes.Int32)
	same := graph.Equal(got, graph.Reshape(want, batchSize))
	return graph.ReduceAllSum(graph.ConvertDType(same, dtypes.Float32))
}
