package builder

// TapIf is Tap if cond, a pred[], is true at run time. If it is false, nothing is called
// and nothing is copied.
func TapIf[T any](cond Value, args T, cb Callback) {
	If(cond, func() struct{} {
		Tap(args, cb)
		return struct{}{}
	}, nothingMore)
}

// Check calls Go with the values of a tree if cond, a pred[], is false at run time. The Go
// function should fail the run; callbacks.Check makes one that does, with a message. If
// cond is true, nothing is called and nothing is copied.
func Check[T any](cond Value, args T, cb Callback) {
	If(cond, nothingMore, func() struct{} {
		return RuntimeCall(struct{}{}, args, cb)
	})
}

func nothingMore() struct{} { return struct{}{} }
