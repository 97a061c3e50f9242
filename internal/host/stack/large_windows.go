package stack

// large is the largest stack that Go's runtime accepts when a thread of C calls Go.
const large = 64 << 20
