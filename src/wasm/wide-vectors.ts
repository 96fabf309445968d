import { setFlagsFromString } from 'node:v8';

/** Of V8: all code optimised at once, and what it does with vectors then. */
const WIDE = ['--experimental-wasm-revectorize', '--no-liftoff', '--no-wasm-lazy-compilation'];
const USUAL = ['--no-experimental-wasm-revectorize', '--liftoff', '--wasm-lazy-compilation'];

/**
 * Compiles a module of which V8 makes one vector of 32 bytes of two whose results are stored side by side, where the
 * processor has such (AVX2): WebAssembly knows vectors of 16 bytes only. V8 calls it experimental. So it is for this
 * module alone, which is optimised here and now (15 ms for that of the blocks, once in a process: the next thread gets
 * what the first one made), and whoever uses it holds its results against something else. A V8 or a processor without
 * it does the same with twice as many instructions.
 * @param isRight tries out what came of it: otherwise the module is compiled as any other is
 */
export function compileWide(bytes: Uint8Array<ArrayBuffer>, isRight: (module: object) => boolean): object {
  const wide = compiledWide(bytes);
  return isRight(wide) ? wide : new WebAssembly.Module(bytes);
}

function compiledWide(bytes: Uint8Array<ArrayBuffer>): object {
  WIDE.forEach((flag) => setFlagsFromString(flag));
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    USUAL.forEach((flag) => setFlagsFromString(flag));
  }
}
