// Sort sorts two arrays together by a function that compares entries. TopK and ArgSort return the greatest elements
// and the order.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/calliope-mlir/calliope"
	"github.com/calliope-mlir/calliope/builder"
)

type entry struct{ Price, Item builder.Value }

func main() {
	f := calliope.Func(func(price, item builder.Value) (dearest entry, top, at, order builder.Value) {
		dearest = builder.Sort(entry{price, item}, func(a, b entry) builder.Value {
			return builder.Gt(a.Price, b.Price)
		}, builder.SortOptions{Stable: true})
		top, at = builder.TopK(price, 2)
		return dearest, top, at, builder.ArgSort(price, 0)
	})
	defer f.Close()
	got, err := calliope.Call[struct {
		Dearest struct {
			Price []float32
			Item  []int32
		}
		Top       []float32
		At, Order []int32
	}](context.Background(), f, []float32{3, 1, 4, 1, 5, 9}, []int32{10, 11, 12, 13, 14, 15})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("price", got.Dearest.Price)
	fmt.Println("item", got.Dearest.Item)
	fmt.Println("top", got.Top)
	fmt.Println("at", got.At)
	fmt.Println("order", got.Order)
}
