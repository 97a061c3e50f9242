//go:build !linux

package callbacks

func yield() {}
