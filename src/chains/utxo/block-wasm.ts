import { moduleOf } from '../../wasm/wasm-code.ts';
import { decodeHex, gather, gatherAll } from './gather-wasm.ts';
import { HASHING } from './hash-wasm.ts';
import { scan } from './scan-wasm.ts';

/** The module's bytes: what takes a block apart and proves it, in the memories that it is given (see BlockMemory). */
export function blockWasm(): Uint8Array<ArrayBuffer> {
  return moduleOf(
    [...HASHING, gather(), gatherAll(HASHING.length), scan(), decodeHex()],
    'a shared one, too',
  );
}
