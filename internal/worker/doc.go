// Package worker runs child processes of this executable that answer requests before main begins, so that no other file
// has to be found.
package worker
