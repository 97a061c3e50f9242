package faults

import (
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tools/soak/load"
)

// columnMajor is a module whose call has an array that is not in row-major order, which Go
// would read wrongly.
func columnMajor(s *scene, i int) string {
	const typ = "tensor<2x3xf32>"
	call := load.Custom(contract.Call, s.bound(healthy), "%x", typ, typ)
	layouts := []string{
		"operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], ",
		"operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], ",
	}
	call = strings.Replace(call, "api_version", layouts[i%2]+"api_version", 1)
	return load.Main("%x: "+typ, typ, "%y = "+call+"\nreturn %y : "+typ)
}
