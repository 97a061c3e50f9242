//go:build engines

package mlirtest

import (
	"os"
	"testing"

	"github.com/calliope-mlir/calliope/internal/host/debs"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/native"
)

// LLVM19 returns the folder of an LLVM 19, the oldest release that can be used, as an
// installation has it, with its headers for C++, and links its library of the C API.
func LLVM19(t testing.TB) (prefix string, at native.Location) {
	t.Helper()
	prefix, err := debs.Fetch(t.Context(), debs.Set{
		Name: "LLVM-19", Files: "llvm", What: "LLVM and MLIR 19", MB: 103,
		Packages: []debs.Package{{
			Name: "libmlir-19-dev", Version: "1:19.1.7-3~deb12u1",
			SHA256: "997293b64e6ebaac52a962d277416fbd8028af6fa821ed7854fc734c256205d8",
			Keep:   `^usr/lib/llvm-19/(lib/libMLIRCAPI.+\.a|lib/cmake/mlir/MLIRConfigVersion\.cmake|include/mlir(?:-c)?/.+)$`,
		}, {
			Name: "libmlir-19", Version: "1:19.1.7-3~deb12u1",
			SHA256: "d1861f4b83c978fb55582d95dc76d56b2cee052297676003cb3ddb579982bd0a",
			Keep:   `^usr/lib/llvm-19/(lib/libMLIR\.so\.19\.1)$`,
		}, {
			Name: "libllvm19", Version: "1:19.1.7-3~deb12u1",
			SHA256: "6edf3a8b28495cdba883d9760e0dca1a81983fc497a5f989dc64d0d96d23b4aa",
			Keep:   `^usr/(lib/x86_64-linux-gnu/libLLVM\.so\.19\.1)$`,
		}, {
			Name: "llvm-19-dev", Version: "1:19.1.7-3~deb12u1",
			SHA256: "05d3347ff02b6d55189f1e4ab5e946d3713677a04588a775100f218a349d02cf",
			Keep:   `^usr/(include/llvm(?:-c)?-19/llvm(?:-c)?/.+)$`,
		}},
	})
	check.NoError(t, err)
	if at, err = native.LinkLLVM(t.Context(), prefix, native.EnsureOptions{Progress: os.Stderr}); err != nil {
		t.Fatal(err)
	}
	return prefix, at
}
