package native

// wheelNames has the file names of the pinned wheels, by SHA-256.
var wheelNames = map[string]string{
	"3fb6cc11d248f1ece7149cf21cc40f528b9c6f45424464678485db2c83c199af": "torch_mlir-20261001-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
	"ce024fba1d9ff527e9eef1e4ed2da9caec28bf69fafd7d22d82ac1a210fe1abe": "torch_mlir-20261001-cp311-cp311-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl",
	"51d0672a8c0a198d6bc27a9dafd917e11c04203197b736d1127396034d18ab2e": "torch_mlir-20261001-cp311-cp311-macosx_11_0_arm64.whl",
	"553a0905aeae1b31ca62e36b8ba9ca8ddc5608903406a0bf7687697d55cea840": "torch_mlir-20261001-cp311-cp311-win_amd64.whl",
	"29e1530fc81833216f1e28b578d0c59697654f72ee31c7a44ed7753baf5ac466": "jaxlib-0.5.3-cp311-cp311-manylinux2014_x86_64.whl",
	"a4666f81d72c060ed3e581ded116a9caa9b0a70a148a54cb12a1d3afca3624b5": "jaxlib-0.5.3-cp311-cp311-manylinux2014_aarch64.whl",
	"b62bd8b29e5a4f9bfaa57c8daf6e04820b2c994f448f3dec602d64255545e9f2": "jaxlib-0.5.3-cp311-cp311-macosx_11_0_arm64.whl",
	"55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc": "xla_cpu_pjrt-0.0.1-py3-none-manylinux_2_27_x86_64.whl",
	"8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9": "xla_cpu_pjrt-0.0.1-py3-none-manylinux_2_27_aarch64.whl",
	"6e1f83dc404f5dcdd76354a869cbbb389bd3f93b4623096de3195799ceb323a7": "iree_base_compiler-3.13.0-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
	"21accf5c9eb352f39bc31fb1deea7701923d4ec65aa4ba7fcbd12e8ae0ce4dbb": "iree_base_compiler-3.13.0-cp311-cp311-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl",
	"88b1c430b341b4bea40a37420311c9c75db6e22b46d2ff95b6986577bee6afe9": "fastatomstruct_xla_cpu-2026.6.23-py3-none-manylinux_2_27_x86_64.whl",
	"1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1": "lammps_jax_pjrt_cpu-0.11.2-py3-none-manylinux_2_27_x86_64.whl",
	"0595f94cd58c1f8a0d90c975621f4587337a003916b1979e834ebdf2cb5d9504": "scipy_openblas32-0.3.34.481.3-py3-none-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
	"e085dddbc5b9aa130f83def515d31c440e69f387a90c7e63b154a5575b4466bc": "scipy_openblas32-0.3.34.481.3-py3-none-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl",
	"813bb8101da2f64555c4a5e71c3714539d92b0b4f1841ec12b80d50e56cde46c": "scipy_openblas32-0.3.34.481.3-py3-none-macosx_11_0_arm64.whl",
	"963e311354df08856c22aad17d77209448d2d8fc3bc4b3b1d87912828797cf13": "scipy_openblas32-0.3.34.481.3-py3-none-win_amd64.whl",
	"5899bb6177eda86ea532afb9a26794f2bdd04966f6a01f9028266b16c2b6cf90": "jax_cuda13_pjrt-0.12.0.1-py3-none-manylinux_2_27_x86_64.whl",
	"40758d042df8c06991b6a1a8016b56e9cefb1ed4c677c062125c3eb71c3dab97": "jax_cuda13_pjrt-0.12.0.1-py3-none-manylinux_2_27_aarch64.whl",
}

// wheel returns the file name of the build's wheel.
func (b build) wheel() string {
	if name, ok := wheelNames[b.sha256]; ok {
		return name
	}
	return "the wheel for " + b.tag
}
