"""Writes the modules here, as JAX 0.10.2 lowers them for a TPU, and what they compute on CPU.

A newer JAX has other arguments of compute_on. The modules are without locations. Run it in this folder, with JAX for CPU.
"""
import jax, jax.numpy as jnp, numpy as np
from jax._src.interpreters import mlir
from jax import export
from jax.ad_checkpoint import checkpoint_name
from jax.experimental.compute_on import compute_on

jax.config.update('jax_platforms', 'cpu')
host, device = jax.memory.Space.Host, jax.memory.Space.Device


def device_put(x):
    h = jax.device_put(jnp.sin(x), host)
    y = jnp.cos(x)
    return y + jax.device_put(h, device) * 2


def compute_on_host(x):
    return compute_on('device_host')(jax.jit(lambda a: jnp.tanh(a) * 3))(x) + 1


def offload(x):
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[], names_which_can_be_offloaded=['a'],
        offload_src='device', offload_dst='pinned_host')

    def f(x):
        a = checkpoint_name(jnp.sin(x), 'a')
        return jnp.sum(jnp.sin(a) * a)
    return jax.grad(jax.checkpoint(f, policy=policy))(x)


def loop(x):
    def body(c, _):
        return jnp.sin(jax.device_put(jax.device_put(c, host), device)) + 1, None
    return jax.lax.scan(body, x, None, length=3)[0]


x = np.arange(8, dtype=np.float32).reshape(2, 4) / 3
for name, f in dict(device_put=device_put, compute_on=compute_on_host, offload=offload, loop=loop).items():
    unchecked = [export.DisabledSafetyCheck.custom_call('annotate_device_placement')]
    exported = export.export(jax.jit(f), platforms=['tpu'], disabled_checks=unchecked)(x)
    with mlir.make_ir_context() as ctx:
        module = mlir.ir.Module.parse(exported.mlir_module())
        text = module.operation.get_asm(enable_debug_info=False)
    open(name + '.mlir', 'w').write(text)
    np.savez(name + '.npz', in0=x, out0=np.asarray(jax.jit(f)(x)))
