package main

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func Example() {
	main()
	// Output:
	// inline      f64[3] [1.5213797068045676 1.5213797068045676 1.5213797068045676]
	// cut         f64[3] [1.5213797068045676 1.5213797068045676 1.5213797068045676]
	// interpreter f64[3] [1.5213797068045676 1.5213797068045676 1.5213797068045676]
	//
	// 2 stages and 1 callback, on the client's device 0
	//
	// callback  form  inside  decision  because        bytes in  bytes out  time of a call  place
	// f         pure  while   cut       Options.Force  24        48         -               stages/main.go:96
	//
	// stage  operations  inputs  outputs  bytes in  bytes out  device
	// 0      1           1       1        4         1          the client's device 0
	// 1      3           4       2        76        28         the client's device 0
	//
	// loop around  stages of an iteration  calls  bytes  cost of the cuts, about
	// f            2                       1      72     20µs
}
