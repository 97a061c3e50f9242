// Package gpu has a suite that compiles and runs modules with callbacks on a GPU:
//
//	go run ./tools/doctor -fetch cuda
//	go test -count=1 -tags cuda ./tests/gpu
//
// docs/gpu.md says what a machine needs for it. The suite itself can be tried without a GPU, on a
// plugin for the CPU: set CALLIOPE_CUDA_PLUGIN to the path of one. This says nothing about
// GPUs.
package gpu
