package function

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A RecursionError reports a function that calls itself, perhaps through others. Compilers that inline every call, such
// as XLA's, end the process on one.
type RecursionError struct {
	Function mlir.Operation
	Names    []string // of the functions on the way, from Function on
}

func (e *RecursionError) Error() string {
	var way []string
	for _, name := range append(e.Names, e.Names[0]) {
		way = append(way, "@"+name)
	}
	return fmt.Sprintf("the function %s calls itself (%s), which no compiled program can do: use stablehlo.while", way[0],
		strings.Join(way, " → "))
}

// CheckRecursion returns a *[RecursionError] if a function of m calls itself: by a call, or as the decomposition of a
// composite, also in the regions of operations.
func CheckRecursion(m *mlir.Module) error {
	order, functions := Defined(m)
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
	for _, f := range order {
		root, _ := f.Symbol()
		if state[root] == done {
			continue
		}
		state[root] = onTheWay
		way := []visit{{root, names(f)}}
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
				e := &RecursionError{Function: functions[next]}
				for _, v := range way {
					if len(e.Names) > 0 || v.name == next {
						e.Names = append(e.Names, v.name)
					}
				}
				return e
			}
			state[next] = onTheWay
			way = append(way, visit{next, names(functions[next])})
		}
	}
	return nil
}

// names returns the functions that f calls or that its composites name.
func names(f mlir.Operation) (list []string) {
	f.Walk(func(op mlir.Operation) mlir.WalkAction {
		if name, ok := Callee(op); ok {
			list = append(list, name)
		}
		if op.Name() == "stablehlo.composite" {
			if a, ok := op.Attribute("decomposition"); ok {
				if name, ok := a.Symbol(); ok {
					list = append(list, name)
				}
			}
		}
		return mlir.WalkContinue
	})
	return list
}
