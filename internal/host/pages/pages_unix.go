//go:build !windows

package pages

import "syscall"

// Map allocates whole pages.
func Map(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, max(n, 1), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// Unmap releases memory of Map.
func Unmap(pages []byte) { _ = syscall.Munmap(pages) }

// ReadOnly makes a write to the pages a fault.
func ReadOnly(pages []byte) error { return syscall.Mprotect(pages, syscall.PROT_READ) }

// NoAccess makes any access to the pages a fault.
func NoAccess(pages []byte) error { return syscall.Mprotect(pages, syscall.PROT_NONE) }
