package main

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/dialect/function"
)

// refuseCalls returns an error for calls that crash XLA: of a function without a body, and
// of a function that calls itself, because XLA inlines every call.
func (m *module) refuseCalls() error {
	var order []string
	functions := map[string]mlir.Operation{}
	for op := range m.mlir.Body().Operations() {
		name := symbolOf(op)
		if name == "" {
			continue
		}
		if op.Region(0).First().IsNil() {
			return fmt.Errorf("%s: the function @%s has no body: XLA needs the body of each function", m.place(op),
				name)
		}
		functions[name] = op
		order = append(order, name)
	}
	calls := func(name string) []string { return function.Callees(functions[name]) }
	// Each function is entered once: the functions that are in progress form the cycle.
	const (
		onTheWay = 1 + iota
		done
	)
	type visit struct {
		name string
		todo []string
	}
	state := map[string]int{}
	for _, root := range order {
		if state[root] == done {
			continue
		}
		state[root] = onTheWay
		way := []visit{{root, calls(root)}}
		for len(way) > 0 {
			last := &way[len(way)-1]
			if len(last.todo) == 0 {
				state[last.name] = done
				way = way[:len(way)-1]
				continue
			}
			next := last.todo[0]
			last.todo = last.todo[1:]
			if _, ok := functions[next]; !ok || state[next] == done {
				continue
			}
			if state[next] == onTheWay {
				var names []string
				for _, v := range way {
					if len(names) > 0 || v.name == next {
						names = append(names, "@"+v.name)
					}
				}
				return fmt.Errorf("%s: the function @%s calls itself (%s → @%[2]s), which XLA cannot run: use stablehlo.while", m.place(functions[next]), next, strings.Join(names, " → "))
			}
			state[next] = onTheWay
			way = append(way, visit{next, calls(next)})
		}
	}
	return nil
}
