"""Holds what a function does to a run on several devices that fails on one of them, before a collective operation.

With the argument abort it lets XLA end the process, as XLA does without keep_errors.
"""

import os
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import calliope_mlir as calliope

library = calliope.Library()
library.register_jax()
devices = jax.devices()
assert len(devices) > 1, devices
mesh = Mesh(devices, "d")
n = 4 * len(devices)
whole = np.arange(n, dtype=np.float32)
failing = [True]


def disk_full(x):
    """Fails on the last device, or of the whole array."""
    if failing[0] and x[-1] == n - 1:
        raise OSError("disk full")
    return x


def summed(name):
    part = lambda x: jax.lax.psum(calliope.call(name, x, x), "d")
    return jax.jit(jax.shard_map(part, mesh=mesh, in_specs=P("d"), out_specs=P()))


if sys.argv[1:] == ["abort"]:
    library.register(disk_full, "fails")
    jax.block_until_ready(summed("fails")(whole))
    sys.exit("the run ended")

divided = jax.device_put(whole, NamedSharding(mesh, P("d")))
for dispatch in "inline", "goroutine", "deferred":
    name = f"keeps {dispatch}"
    library.register(disk_full, name, keep_errors=True, dispatch=dispatch)
    loop = jax.shard_map(
        lambda x: jax.lax.fori_loop(0, 3, lambda i, x: x + jax.lax.psum(calliope.io(name, x)[0], "d"), x),
        mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False,
    )  # fmt: skip
    call = jax.jit(lambda x: calliope.call(name, x, x))  # on device 0, for all
    for program, operand in (summed(name), whole), (call, divided), (jax.jit(loop), whole):
        failing[0] = True
        jax.block_until_ready(program(operand))
        try:
            library.barrier()
            raise AssertionError("the barrier has no error")
        except calliope.Error as e:
            assert e.status == 13 and f'callback "{name}" on device ' in str(e) and "disk full" in str(e), e
        failing[0] = False
        jax.block_until_ready(program(operand))
        library.barrier()
    np.testing.assert_array_equal(summed(name)(whole), whole.reshape(len(devices), 4).sum(0))

# Results are zeros.
failing[0] = True
got = summed("keeps inline")(whole)
np.testing.assert_array_equal(got, whole[:-4].reshape(-1, 4).sum(0))

# The same after a timeout.
library.register(lambda x: time.sleep(2 * (x[-1] == n - 1)) or x, "late", timeout=0.5, keep_errors=True)
got = summed("late")(whole)
np.testing.assert_array_equal(got, whole[:-4].reshape(-1, 4).sum(0))
try:
    library.barrier()
    raise AssertionError("the barrier has no error")
except calliope.Error as e:
    assert "did not return after 500ms" in str(e), e

# Without keep_errors, the error is written before XLA ends the process.
flags = os.environ.get("XLA_FLAGS", "") + (
    " --xla_cpu_collective_call_warn_stuck_timeout_seconds=1 --xla_cpu_collective_call_terminate_timeout_seconds=1"
)
child = subprocess.run(
    [sys.executable, __file__, "abort"], env=os.environ | {"XLA_FLAGS": flags}, capture_output=True, text=True, timeout=60
)
assert child.returncode not in (0, 1), child
assert "OSError: disk full" in child.stderr and "register the function with keep_errors=True" in child.stderr, child
