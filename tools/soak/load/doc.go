// Package load calls Go from compiled code very often, on several devices and in every way
// of dispatch. It compares the number of calls, and their payloads, with what compiled code
// did.
package load
