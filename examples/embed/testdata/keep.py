"""Holds that a function may keep its operands, and that one that is registered with views and keeps something of them
fails the call, whatever it keeps and wherever."""

import gc
import threading

import jax
import jax.numpy as jnp
import numpy as np

import calliope_mlir as calliope

library = calliope.Library()
library.register_jax()
x = jnp.arange(1 << 16, dtype=jnp.float32)
ways = {
    "tap": lambda name, x: (calliope.tap(name, x), 2 * x)[1],
    "ordered tap": lambda name, x: (calliope.tap(name, x, ordered=True), 2 * x)[1],
    "io": lambda name, x: calliope.io(name, x + 1)[0],
    "call": lambda name, x: calliope.call(name, x, x),
    "pure": lambda name, x: calliope.call(name, x, x, pure=True),
    "vmap": lambda name, x: jax.vmap(lambda r: calliope.call(name, r, r, vmap_method="sequential"))(x.reshape(2, -1)).reshape(-1),
}


def run(way, name, x):
    y = jax.block_until_ready(jax.jit(lambda x: ways[way](name, x))(x))
    jax.effects_barrier()
    library.barrier()
    return y


# Copies, in a loop as well, and for each way of calling and of dispatch.
losses = []
library.register(losses.append, "losses")


@jax.jit
def train(w):
    def step(w, _):
        w = w * 0.5
        calliope.tap("losses", w.sum())
        return w, None

    return jax.lax.scan(step, w, jnp.arange(4))[0]


jax.block_until_ready(train(jnp.ones(4)))
library.barrier()
assert [float(v) for v in losses] == [2, 1, 0.5, 0.25], losses
for dispatch in calliope.DISPATCH:
    for way in ways:
        kept = []

        def keeps(x):
            kept.append(x)
            return None if "tap" in way else x

        library.register(keeps, "keeps", dispatch=dispatch)
        for i in range(3):
            if dispatch in ("async", "deferred") and "tap" not in way:
                continue  # these only observe
            run(way, "keeps", x + i)
        values = sorted(float(k.reshape(-1)[0]) for k in kept)
        if kept:
            want = {"io": [1, 2, 3], "vmap": [0, 1, 2, 1 << 15, (1 << 15) + 1, (1 << 15) + 2]}.get(way, [0, 1, 2])
            assert values == want, (dispatch, way, values)
        library.unregister("keeps")

# Views: what is kept of them.
box, threads = [], []


class Cycle:
    def __init__(self, x):
        self.x, self.me = x, self


def raises(x):
    try:
        raise ValueError("no")
    except ValueError as e:
        box.append(e)


def in_thread(x):
    go = threading.Event()
    thread = threading.Thread(target=lambda: (go.wait(60), x.sum()))
    thread.start()
    threads.append((go, thread))


keeping = {
    "the array": box.append,
    "a slice": lambda x: box.append(x[1:3]),
    "a reshaped one": lambda x: box.append(x.reshape(2, -1)[0].T),
    "another type": lambda x: box.append(x.view(np.int32)),
    "a memoryview": lambda x: box.append(memoryview(x)[1:]),
    "a base": lambda x: box.append(x.base),
    "an iterator": lambda x: box.append(iter(x)),
    "DLPack": lambda x: box.append(np.from_dlpack(x)),
    "an exception": raises,
    "a closure": lambda x: box.append(lambda: x),
    "a thread": in_thread,
}
harmless = {
    "a copy": lambda x: box.append(x.copy()),
    "numbers": lambda x: box.append(x[:3].tolist()),
    "a sum": lambda x: box.append(x.sum()),
    "a cycle": lambda x: Cycle(x) and None,
    "a thread that ended": lambda x: (in_thread(x), threads[-1][0].set(), threads[-1][1].join())[:0],
}
gc.disable()  # cycles are found without it
for functions, fails in (keeping, True), (harmless, False):
    for what, function in functions.items():
        for way in ("tap", "io", "call") if fails or what == "a copy" else ("tap",):

            def observes(x):
                function(x)
                return None if way == "tap" else x

            library.register(observes, "views", views=True, fail_run=way == "tap")
            message = ""
            try:
                run(way, "views", x)
            except (jax.errors.JaxRuntimeError, calliope.Error) as e:
                message = str(e)
            del observes
            assert ("keeps operand 0 after the call" in message) == fails, (what, way, message)
            library.unregister("views")
            box.clear()
            for go, thread in threads:
                go.set()
                thread.join()
            threads.clear()

# What fails says so first, and what it keeps then.
last = []


def fails(x, y):
    last.append(y)
    raise ValueError("it failed")


library.register(fails, "fails", views=True)
try:
    jax.block_until_ready(jax.jit(lambda x: calliope.call("fails", x, x, x + 1))(x))
    raise AssertionError("it did not fail")
except jax.errors.JaxRuntimeError as e:
    assert "ValueError: it failed" in str(e) and "keeps operand 1 after the call" in str(e), e
last.clear()

# Views that are returned, and that are written to.
def doubles(x):
    x *= 2
    return x


library.register(doubles, "doubles", views=True)
np.testing.assert_array_equal(run("io", "doubles", x), 2 * (x + 1))
