//go:build !linux

package dispatch

func yield() {}
