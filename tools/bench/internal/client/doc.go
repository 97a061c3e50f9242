// Package client is a plain C program against the C API: what tools/bench measures
// beside the same work in Go. It calls through the same table of the same library,
// and does what a C programmer would write: no caches, no checks.
package client
