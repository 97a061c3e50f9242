package native

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
)

// A Part names one native library.
type Part string

const (
	// MLIR is a library with all of upstream MLIR, StableHLO and its C API, and the dialects
	// chlo, vhlo and torch: torch-mlir's.
	MLIR Part = "mlir"
	// Jaxlib is an older library with the C API of MLIR, StableHLO and CHLO. It has the dialect mhlo,
	// which MLIR lacks, and an old form of sdy. It is fetched on request, and in place of MLIR if the
	// package index does not have that.
	Jaxlib Part = "jaxlib"
	// PJRTPlugin is XLA for the CPU, as a PJRT plugin: the newest one that is known here and has a build
	// for the platform. On linux/amd64 that is PyPI's lammps-jax-pjrt-cpu, with PJRT 0.115, FFI 0.4 and
	// StableHLO 1.20.0, and on linux/arm64 the release of PJRT81.
	PJRTPlugin Part = "pjrt"
	// IREE is a second library with the C API of MLIR. It is newer and has the StableHLO
	// dialect, but not StableHLO's own C API. It is fetched only on request.
	IREE Part = "iree"
	// LLVM is all of upstream MLIR of LLVM 22, with its ExecutionEngine and every dialect,
	// but without StableHLO. It is fetched only on request, from Debian's packages, and
	// linked with the user's C++ compiler.
	LLVM Part = "llvm"
	// PJRT81 is the previous default on linux/amd64, an older XLA for the CPU: PJRT 0.81, FFI 0.2, StableHLO
	// 1.13.3, from PyPI's xla-cpu-pjrt. It is fetched on request, and in place of PJRTPlugin if the package
	// index does not have that. It is used if CALLIOPE_PJRT_PLUGIN or bridge.OpenOptions.Path is its path.
	PJRT81 Part = "pjrt81"
	// PJRT106 is an XLA for the CPU between the two: PJRT 0.106, FFI 0.3, StableHLO 1.16.1, from PyPI's
	// fastatomstruct-xla-cpu. It is fetched only on request, and used as PJRT81 is.
	PJRT106 Part = "pjrt106"
	// LAPACK is OpenBLAS, a library of linear algebra with all of BLAS and LAPACK. Its symbols
	// are those of Fortran with the prefix scipy_, and its integers have 32 bits. Package
	// bridge/lapack calls it. It is fetched only on request.
	LAPACK Part = "lapack"
	// CUDA is XLA for NVIDIA's GPUs, as a PJRT plugin: PJRT 0.116, FFI 0.5, from PyPI's
	// jax-cuda13-pjrt. It needs NVIDIA's driver, and CUDA 13's libraries to compile and run. It
	// is fetched and used as PJRT106 is: 135 MB, unpacked 396 MB.
	CUDA Part = "cuda"
)

// build says what a part consists of on one platform: a Python wheel, or Debian packages.
type build struct {
	tag    string // pip's platform tag
	sha256 string // of the whole wheel, in lower-case hex
	debs   []deb
	// What differs from the spec, or "".
	project, version, member string
	// files maps the names of the files that are kept to their sha256. A library that is
	// linked here is not included, because it depends on the compiler.
	files map[string]string
}

// pin identifies a build.
func (b build) pin() string {
	if b.debs != nil {
		return pin(b.debs)
	}
	return b.sha256
}

// buildOf returns the build with a pin, and its part.
func buildOf(pin string) (Part, build, bool) {
	for _, p := range Parts() {
		for _, b := range table[p].builds {
			if b.pin() == pin {
				return p, b, true
			}
		}
	}
	return "", build{}, false
}

// spec says how one part is found and where it comes from.
type spec struct {
	title   string
	env     string // the environment variable that overrides everything
	byAsk   bool   // not one of the default parts
	instead Part   // used if the package index does not have the part
	lost    string // what instead lacks
	plugin  bool   // a PJRT plugin
	gpu     bool   // it needs a GPU
	project string // name in the Python package index, if it comes from there
	version string
	member  string // the shared library's path inside the wheel, or just its name
	mb      int    // size of the download in megabytes, for messages
	builds  map[string]build
}

// table holds every known part. Builds are keyed by GOOS/GOARCH.
var table = map[Part]spec{
	MLIR: {
		title:   "MLIR and StableHLO library",
		env:     "CALLIOPE_MLIR_LIBRARY",
		instead: Jaxlib,
		lost:    "StableHLO 1.10 in place of 1.19, and not the torch dialect and much of upstream MLIR",
		project: "torch-mlir",
		version: "20261001",
		member:  "torch_mlir/_mlir_libs/libTorchMLIRAggregateCAPI.so",
		mb:      80,
		builds: map[string]build{
			"linux/amd64": {
				tag:    "manylinux_2_27_x86_64",
				sha256: "3fb6cc11d248f1ece7149cf21cc40f528b9c6f45424464678485db2c83c199af",
				files: map[string]string{
					"libTorchMLIRAggregateCAPI.so": "d7a5eed64bf28faa1e41c396d3d29015f3d09064cf50a6759fe107961ef6057e"},
			},
			"linux/arm64": {
				tag:    "manylinux_2_27_aarch64",
				sha256: "ce024fba1d9ff527e9eef1e4ed2da9caec28bf69fafd7d22d82ac1a210fe1abe",
				files: map[string]string{
					"libTorchMLIRAggregateCAPI.so": "6dc8e29945c665788b1dccb57614adac98fafc53440a51d5787bc63cc1202a9c"},
			},
			"darwin/arm64": {
				tag: "macosx_11_0_arm64", sha256: "51d0672a8c0a198d6bc27a9dafd917e11c04203197b736d1127396034d18ab2e",
				member: "torch_mlir/_mlir_libs/libTorchMLIRAggregateCAPI.dylib",
				files: map[string]string{
					"libTorchMLIRAggregateCAPI.dylib": "ba506a54e88ef283591d5160b1cd5a08b1c4207b7859d0f72f8b1a92e46cb64e"},
			},
			"windows/amd64": {
				tag: "win_amd64", sha256: "553a0905aeae1b31ca62e36b8ba9ca8ddc5608903406a0bf7687697d55cea840",
				member: "torch_mlir/_mlir_libs/TorchMLIRAggregateCAPI.dll",
				files: map[string]string{
					"TorchMLIRAggregateCAPI.dll": "24ab0feaa4c72e7e193e50b5b203c20c5cc856c09775ad8198bb19231ae526f3"},
			},
		},
	},
	Jaxlib: {
		title:   "MLIR library of jaxlib",
		env:     "CALLIOPE_JAXLIB_LIBRARY",
		byAsk:   true,
		project: "jaxlib",
		// This is the last release whose library exports the C API's symbols.
		version: "0.5.3",
		member:  "jaxlib/mlir/_mlir_libs/libjaxlib_mlir_capi.so",
		mb:      105,
		builds: map[string]build{
			"linux/amd64": {
				tag: "manylinux2014_x86_64", sha256: "29e1530fc81833216f1e28b578d0c59697654f72ee31c7a44ed7753baf5ac466",
				files: map[string]string{
					"libjaxlib_mlir_capi.so": "009f798ec67a8360c93a2d285c55ca8e6ba96978cf706b680512ff8121343b8b"},
			},
			"linux/arm64": {
				tag:    "manylinux2014_aarch64",
				sha256: "a4666f81d72c060ed3e581ded116a9caa9b0a70a148a54cb12a1d3afca3624b5",
				files: map[string]string{
					"libjaxlib_mlir_capi.so": "019af51c520d338f2af6587adab4b2a4a94993e69f4a62b8cca676912da94825"},
			},
			"darwin/arm64": {
				tag: "macosx_11_0_arm64", sha256: "b62bd8b29e5a4f9bfaa57c8daf6e04820b2c994f448f3dec602d64255545e9f2",
				member: "jaxlib/mlir/_mlir_libs/libjaxlib_mlir_capi.dylib",
				files: map[string]string{
					"libjaxlib_mlir_capi.dylib": "c9012b9ac81d373a92e52efd3753c7a9525d59695a702ce9ca2bba0498211818"},
			},
		},
	},
	PJRTPlugin: {
		title:   "XLA CPU plugin",
		env:     "CALLIOPE_PJRT_PLUGIN",
		instead: PJRT81,
		lost:    "PJRT 0.81 in place of 0.115, whose code is faster and right in more cases",
		plugin:  true,
		project: "lammps-jax-pjrt-cpu",
		version: "0.11.2",
		member:  "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
		mb:      63,
		builds: map[string]build{
			"linux/amd64": {
				tag:    "manylinux_2_27_x86_64",
				sha256: "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
				files: map[string]string{
					"pjrt_c_api_cpu_plugin.so": "ad1309ac822b1b24d51b7f9947c7c9fa9ef5d67f390584cbc3d1fa2428fed9c2"},
			},
			"linux/arm64": {
				project: "xla-cpu-pjrt", version: "0.0.1", member: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
				tag:    "manylinux_2_27_aarch64",
				sha256: "8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9",
				files: map[string]string{
					"xla_cpu_pjrt.so": "fcf411f3e8ff635c2b2cf87215aa7016f460e66d236c3db08309e7486583532d"},
			},
		},
	},
	IREE: {
		title:   "IREE compiler library",
		env:     "CALLIOPE_IREE_LIBRARY",
		byAsk:   true,
		project: "iree-base-compiler",
		version: "3.13.0",
		member:  "iree/compiler/_mlir_libs/libIREECompiler.so",
		mb:      84,
		builds: map[string]build{
			"linux/amd64": {
				tag:    "manylinux_2_27_x86_64",
				sha256: "6e1f83dc404f5dcdd76354a869cbbb389bd3f93b4623096de3195799ceb323a7",
				files: map[string]string{
					"libIREECompiler.so": "68f97aaf771c55d270288b31391d65fa1239ad348736e5e8e4f4b9ba8a72ed0a"},
			},
			"linux/arm64": {
				tag:    "manylinux_2_27_aarch64",
				sha256: "21accf5c9eb352f39bc31fb1deea7701923d4ec65aa4ba7fcbd12e8ae0ce4dbb",
				files: map[string]string{
					"libIREECompiler.so": "4bd7674c8855cfc5c52e4a34f58a7d01334256d469c01b301e1e081c70590bc6"},
			},
		},
	},
	LLVM: {
		title:   "upstream MLIR library",
		env:     "CALLIOPE_LLVM_LIBRARY",
		byAsk:   true,
		project: "LLVM",
		version: "22.1.8",
		// This is upstream's name for it, in builds that have it.
		member: "libMLIR-C.so.22.1",
		mb:     79,
		builds: map[string]build{
			debPlatform: {debs: []deb{
				{"libllvm22", "1:22.1.8-1~deb12u1", "729ec3e943d320515c2bbdc96acfffd7ce34861e62bd5c42726bf586d644dfe2",
					`^usr/lib/x86_64-linux-gnu/(libLLVM\.so\.22\.1)$`},
				{"libmlir-22", "1:22.1.8-1~deb12u1", "d961acd13b217ce08fb067d8ca073bc800e3c64b0907d640a7df067d3e9c59cf",
					`^usr/lib/llvm-22/lib/(libMLIR\.so\.22\.1)$`},
				{"libmlir-22-dev", "1:22.1.8-1~deb12u1",
					"7b46221bc4df3c193f01aee030cffebeedb520b9265b488940e639b00f45f045",
					`^usr/lib/llvm-22/lib/(libMLIRCAPI.*\.a)$`},
			}, files: map[string]string{
				"libLLVM.so.22.1": "1bdef530a679a688c43612249f475c5abd7dc893cd249e01eda78b35137c9837",
				"libMLIR.so.22.1": "f6b36b2c1f1c545eb6c6145fc422c7d776b038cc47c1fee5e0547c1b7236cfc4",
			}},
		},
	},
	PJRT81: {
		title:   "XLA CPU plugin of PJRT 0.81",
		env:     "CALLIOPE_PJRT81_PLUGIN",
		byAsk:   true,
		plugin:  true,
		project: "xla-cpu-pjrt",
		version: "0.0.1",
		member:  "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
		mb:      63,
		builds: map[string]build{
			"linux/amd64": {
				tag:    "manylinux_2_27_x86_64",
				sha256: "55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc",
				files: map[string]string{
					"xla_cpu_pjrt.so": "88c3f28c5900f48ad4a82cab9e79bba9537809743395e341485f8794268820dc"},
			},
		},
	},
	PJRT106: {
		title:   "XLA CPU plugin of PJRT 0.106",
		env:     "CALLIOPE_PJRT106_PLUGIN",
		byAsk:   true,
		plugin:  true,
		project: "fastatomstruct-xla-cpu",
		version: "2026.6.23",
		member:  "fastatomstruct_xla_cpu/libpjrt_cpu.so",
		mb:      63,
		builds: map[string]build{
			"linux/amd64": {
				tag:    "manylinux_2_27_x86_64",
				sha256: "88b1c430b341b4bea40a37420311c9c75db6e22b46d2ff95b6986577bee6afe9",
				files: map[string]string{
					"libpjrt_cpu.so": "0a0fe56ca17be9efc7b942e89e534e5e0ad4a0f1e369b66d27b62184509015b9"},
			},
		},
	},
	LAPACK: {
		title:   "LAPACK library",
		env:     "CALLIOPE_LAPACK_LIBRARY",
		byAsk:   true,
		project: "scipy-openblas32",
		version: "0.3.34.481.3",
		member:  "scipy_openblas32/lib/libscipy_openblas.so",
		mb:      9,
		builds: map[string]build{
			"linux/amd64": {
				tag:    "manylinux_2_27_x86_64",
				sha256: "0595f94cd58c1f8a0d90c975621f4587337a003916b1979e834ebdf2cb5d9504",
				files: map[string]string{
					"libscipy_openblas.so": "b396d74f12ab4319e6713b3287104d64245c76c60e5bd9eaeb4b447eda66a561"},
			},
			"linux/arm64": {
				tag:    "manylinux_2_27_aarch64",
				sha256: "e085dddbc5b9aa130f83def515d31c440e69f387a90c7e63b154a5575b4466bc",
				files: map[string]string{
					"libscipy_openblas.so": "3530123bc482e51b554d3f282b35bc026e6b94c821472c740507f6417debe290"},
			},
			"darwin/arm64": {
				tag: "macosx_11_0_arm64", sha256: "813bb8101da2f64555c4a5e71c3714539d92b0b4f1841ec12b80d50e56cde46c",
				member: "scipy_openblas32/lib/libscipy_openblas.dylib",
				files: map[string]string{
					"libscipy_openblas.dylib": "ba6547900061e3f1acbbdec06192c5dc2726565871e7d9af245b4af9951af715"},
			},
			"windows/amd64": {
				tag: "win_amd64", sha256: "963e311354df08856c22aad17d77209448d2d8fc3bc4b3b1d87912828797cf13",
				member: "scipy_openblas32/lib/libscipy_openblas.dll",
				files: map[string]string{
					"libscipy_openblas.dll": "009afd350d037a283b1c939398c8bd58c690bfdd9510523e5772fbd38c438037"},
			},
		},
	},
	CUDA: {
		title:   "XLA plugin for CUDA",
		env:     "CALLIOPE_CUDA_PLUGIN",
		byAsk:   true,
		plugin:  true,
		gpu:     true,
		project: "jax-cuda13-pjrt",
		version: "0.12.0.1",
		member:  "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		mb:      135,
		builds: map[string]build{
			"linux/amd64": {
				tag:    "manylinux_2_27_x86_64",
				sha256: "5899bb6177eda86ea532afb9a26794f2bdd04966f6a01f9028266b16c2b6cf90",
				files: map[string]string{
					"xla_cuda_plugin.so": "b6de513893c09af2c77e71afcef46d9706f8c259337cdef4cd5cae2353886f75"},
			},
			"linux/arm64": {
				tag:    "manylinux_2_27_aarch64",
				sha256: "40758d042df8c06991b6a1a8016b56e9cefb1ed4c677c062125c3eb71c3dab97",
				files: map[string]string{
					"xla_cuda_plugin.so": "b63ecc0361e3f8a9da9aad3df39e93a96092fb4ee20a174ccba2688fda4cb53f"},
			},
		},
	},
}

// Parts returns every known part, in a fixed order.
func Parts() []Part {
	var parts []Part
	for p := range table {
		parts = append(parts, p)
	}
	slices.Sort(parts)
	return parts
}

// DefaultParts returns the parts that this platform needs and has a build of: the MLIR
// library and, on Linux, the XLA plugin. It returns none on a platform without builds.
func DefaultParts() []Part {
	var parts []Part
	for _, p := range Parts() {
		s := table[p]
		if _, ok := s.build(); ok && !s.byAsk {
			parts = append(parts, p)
		}
	}
	return parts
}

// Plugins returns the parts that are PJRT plugins for the CPU, in a fixed order. The default
// one is the first.
func Plugins() []Part {
	var plugins []Part
	for _, p := range Parts() {
		if s := table[p]; s.plugin && !s.gpu {
			plugins = append(plugins, p)
		}
	}
	return plugins
}

// String returns the part's name for messages, such as "XLA CPU plugin".
func (p Part) String() string {
	if s, ok := table[p]; ok {
		return s.title
	}
	return fmt.Sprintf("unknown native part %q", string(p))
}

// Fetchable reports whether [Ensure] has a build of the part for this platform.
func (p Part) Fetchable() bool {
	_, ok := table[p].build()
	return ok
}

// Available reports whether there is a build of the part to fetch, or a library to find. An environment variable of the
// part that is "none" says that there is not.
func (p Part) Available() bool {
	if os.Getenv(p.Env()) == "none" {
		return false
	}
	if p.Fetchable() {
		return true
	}
	_, err := Find(p)
	return !errors.As(err, new(*NotFoundError))
}

// Release returns the project and version that the part is pinned to on this platform, such as
// "jaxlib 0.5.3", or "" for an unknown part.
func (p Part) Release() string { return p.spec().release() }

// Releases returns what the part is pinned to by platform (GOOS/GOARCH), for those that it has a build for.
func (p Part) Releases() map[string]string {
	releases := map[string]string{}
	for platform := range table[p].builds {
		releases[platform] = p.on(platform).release()
	}
	return releases
}

// Env returns the environment variable that holds the path of a library to use instead of
// the pinned one, or "" for an unknown part.
func (p Part) Env() string { return table[p].env }

// on returns the part's table entry as it is on a platform.
func (p Part) on(platform string) spec {
	s := table[p]
	b := s.builds[platform]
	s.project, s.version, s.member = cmp.Or(b.project, s.project), cmp.Or(b.version, s.version),
		cmp.Or(b.member, s.member)
	return s
}

// spec returns the part's table entry as it is on this platform.
func (p Part) spec() spec { return p.on(thisPlatform) }

// thisPlatform is the platform that this program runs on.
const thisPlatform = runtime.GOOS + "/" + runtime.GOARCH

// lookup returns the part's table entry, or an error if the part or the platform is not
// supported.
func lookup(p Part) (spec, error) {
	if _, ok := table[p]; !ok {
		var known []string
		for _, k := range Parts() {
			known = append(known, string(k))
		}
		return spec{}, fmt.Errorf("native: unknown part %q: use one of %s", string(p), strings.Join(known, ", "))
	}
	return p.spec(), platformError()
}

func (s spec) build() (build, bool) {
	b, ok := s.builds[thisPlatform]
	return b, ok
}

func (s spec) release() string { return strings.TrimSpace(s.project + " " + s.version) }

// library returns the file name of the library.
func (s spec) library() string { return path.Base(s.member) }

// slot returns the location of the part in a cache.
func (s spec) slot(cache string) slot { return newSlot(cache, s.id(), s.library()) }

// id identifies the exact build. It is the name of its folder in the cache.
func (s spec) id() string {
	return fmt.Sprintf("%s-%s-%s-%s", s.project, s.version, runtime.GOOS, runtime.GOARCH)
}

func (s spec) platforms() string {
	return strings.Join(slices.Sorted(maps.Keys(s.builds)), ", ")
}
