package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// headers holds the packages with the C headers of each known LLVM release. The set for 19
// lacks llvm-c/, which would need another large package for one header; the one of 22
// declares the same.
var headers = map[int]packageSet{
	19: {
		what: "MLIR 19 headers",
		mb:   23,
		debs: []deb{{
			"libmlir-19-dev", "1:19.1.7-3~deb12u1", "997293b64e6ebaac52a962d277416fbd8028af6fa821ed7854fc734c256205d8",
			`^usr/lib/llvm-19/include/(mlir-c/.+\.h|mlir/Config/.+\.h|mlir/.+\.capi\.h\.inc)$`,
		}},
	},
	22: {
		what: "LLVM and MLIR 22 headers",
		mb:   85,
		debs: []deb{{
			"libmlir-22-dev", "1:22.1.8-1~deb12u1", "7b46221bc4df3c193f01aee030cffebeedb520b9265b488940e639b00f45f045",
			`^usr/lib/llvm-22/include/(mlir-c/.+\.h|mlir/Config/.+\.h|mlir/.+\.capi\.h\.inc)$`,
		}, {
			"llvm-22-dev", "1:22.1.8-1~deb12u1", "72250802fb65f281aa88bffe317bec70d6ddbe21134736c354a4f13ed24709ad",
			`^usr/include/llvm(?:-c)?-22/(llvm-c/.+\.h|llvm/Config/.+)$`,
		}},
	},
}

// Headers returns the folder with the C headers of an LLVM release, 19 or 22: mlir-c/, the
// part of mlir/ that it includes, and, for 22, llvm-c/ and llvm/Config/ (which mlir-c/ of
// 19 needs too). If the cache does not have them, they are fetched, on linux/amd64 only, in
// the way and with the errors of [Ensure]. The files in the folder must not be changed.
func Headers(ctx context.Context, release int, o EnsureOptions) (dir string, err error) {
	h, ok := headers[release]
	if !ok {
		return "", fmt.Errorf("native: the headers of LLVM %d cannot be fetched: use 19 or 22", release)
	}
	if err := platformError(); err != nil {
		return "", err
	}
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	// The folder appears complete, by one rename, and the name of its slot includes the
	// pins of its packages. So it is enough that it exists.
	sl := newSlot(cache, fmt.Sprintf("headers-%d-%s", release, pin(h.debs)[:12]), "include")
	if err := sl.trustedFolders(); err != nil {
		return "", err
	}
	there := func() (bool, error) {
		_, err := os.Stat(sl.library)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	switch found, err := there(); {
	case err != nil:
		return "", cacheError(cache, err)
	case found:
		return sl.library, nil
	case o.Offline:
		return "", fmt.Errorf("native: the %s are not in the cache (%s), and EnsureOptions.Offline forbids fetching them: fetch them first", h.what, sl.library)
	case runtime.GOOS+"/"+runtime.GOARCH != debPlatform:
		return "", fmt.Errorf("native: the %s can be fetched on %s only, but this is %s/%s: copy the folder %s from such a machine", h.what, debPlatform, runtime.GOOS, runtime.GOARCH, sl.library)
	}
	err = sl.fill(ctx, h.what, o.progress(), there, func(ctx context.Context) error {
		if err := h.unpack(ctx, sl, sl.partial, o.progress()); err != nil {
			return err
		}
		if err := os.Rename(sl.partial, sl.library); err != nil {
			return cacheError(cache, err)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return sl.library, nil
}
