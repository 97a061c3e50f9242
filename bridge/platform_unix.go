//go:build !windows

package bridge

import "syscall"

// mapMemory allocates whole pages.
func mapMemory(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, max(n, 1), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// unmapMemory releases memory of mapMemory.
func unmapMemory(pages []byte) { _ = syscall.Munmap(pages) }

func readOnly(pages []byte) error { return syscall.Mprotect(pages, syscall.PROT_READ) }

func noAccess(pages []byte) error { return syscall.Mprotect(pages, syscall.PROT_NONE) }

func platformError() error { return nil }
