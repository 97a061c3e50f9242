// Package load calls Go from compiled code very often, on several devices and in every
// way of dispatch, and holds the number of calls, and what they carried, against what
// compiled code did.
package load
