"""One process of a JAX program that runs in several, as on several hosts. Each calls Go and Python functions.

    go run ./examples/embed multihost

starts the processes with the library, the address of the first process, how many there are, and the number of each.
"""

import os
import sys

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import calliope_mlir as calliope

address, processes, process = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
# The others end this long after one is gone.
jax.distributed.initialize(address, processes, process, heartbeat_timeout_seconds=10)
library = calliope.Library(sys.argv[1])
library.register_jax()

parts = []


# A function gets the calls of its own process: those of the process's devices.
@library.callback("py.part")
def part(x):
    if os.environ.get("FAIL") == str(process):
        os._exit(9)  # as if the host failed
    parts.append(x.tolist())
    return x + 1


devices = jax.devices()  # of all processes
mesh = Mesh(devices, "d")
values = np.arange(2 * len(devices), dtype=np.float32)
x = jax.make_array_from_callback(values.shape, NamedSharding(mesh, P("d")), lambda index: values[index])


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=P("d"), out_specs=P(), check_vma=False)
def total(x):
    x = calliope.call("py.part", x, x)
    x = calliope.call("go.triple", x, x)
    return jax.lax.psum(x.sum(), "d")


print(f"process {process}: the sum over {len(devices)} devices is {total(x)}, its own parts are {sorted(parts)}")

# Outside of a shard_map, the process of the first device gets the call, with the whole array.
parts.clear()
jax.jit(lambda x: calliope.call("py.part", x, x))(x).block_until_ready()
print(f"process {process}: of the whole array it saw {parts}")
