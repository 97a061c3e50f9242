package builder

// TapIf is Tap where cond, a pred[], is true at run time. Where it is false nothing is
// called and nothing copied.
func TapIf[T any](cond Value, cb Callback, args T) {
	If(cond, func() struct{} {
		Tap(cb, args)
		return struct{}{}
	}, nothingMore)
}

// Check calls Go with the values of a tree where cond, a pred[], is false at run time,
// and expects that the function fails the run: callbacks.Check makes one that does, with
// a message. Where cond is true nothing is called and nothing copied.
func Check[T any](cond Value, cb Callback, args T) {
	If(cond, nothingMore, func() struct{} {
		return RuntimeCall(cb, struct{}{}, args)
	})
}

func nothingMore() struct{} { return struct{}{} }
