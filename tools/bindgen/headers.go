package main

import (
	"context"
	"fmt"

	"github.com/calliope-mlir/calliope/internal/host/debs"
	_ "github.com/calliope-mlir/calliope/native" // sets debs.Fetch
)

// headers has the packages with the C headers of each LLVM release that is read. Those of 19
// lack llvm-c/: it would take another large package for one header, which is the same in 22.
var headers = map[int]debs.Set{
	oldestRelease: {
		What: "MLIR 19 headers",
		MB:   23,
		Packages: []debs.Package{{
			Name: "libmlir-19-dev", Version: "1:19.1.7-3~deb12u1",
			SHA256: "997293b64e6ebaac52a962d277416fbd8028af6fa821ed7854fc734c256205d8",
			Keep:   `^usr/lib/llvm-19/include/(mlir-c/.+\.h|mlir/Config/.+\.h|mlir/.+\.capi\.h\.inc)$`,
		}},
	},
	newestRelease: {
		What: "LLVM and MLIR 22 headers",
		MB:   85,
		Packages: []debs.Package{{
			Name: "libmlir-22-dev", Version: "1:22.1.8-1~deb12u1",
			SHA256: "7b46221bc4df3c193f01aee030cffebeedb520b9265b488940e639b00f45f045",
			Keep:   `^usr/lib/llvm-22/include/(mlir-c/.+\.h|mlir/Config/.+\.h|mlir/.+\.capi\.h\.inc)$`,
		}, {
			Name: "llvm-22-dev", Version: "1:22.1.8-1~deb12u1",
			SHA256: "72250802fb65f281aa88bffe317bec70d6ddbe21134736c354a4f13ed24709ad",
			Keep:   `^usr/include/llvm(?:-c)?-22/(llvm-c/.+\.h|llvm/Config/.+)$`,
		}},
	},
}

// fetchHeaders returns the folder with the C headers of an LLVM release: mlir-c/, the files of
// mlir/ that it includes and, for 22, llvm-c/ and llvm/Config/, which the mlir-c/ of 19 needs,
// too. Callers must not change the folder.
func fetchHeaders(ctx context.Context, release int) (dir string, err error) {
	set := headers[release]
	set.Name, set.Files = fmt.Sprintf("headers-%d", release), "include"
	return debs.Fetch(ctx, set)
}
