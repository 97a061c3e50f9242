// Package worker exchanges requests and answers with child processes of this executable. They answer before main
// begins, so that no other file has to be found.
package worker
