//go:build !amd64 && !arm64

package dispatch

func pause() {}
