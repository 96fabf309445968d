import { expect, it } from 'vitest';
import { BlockMemory } from '../../../../src/chains/utxo/block-memory.ts';
import { BlockRoom } from '../../../../src/chains/utxo/block-room.ts';
import { blockWasm } from '../../../../src/chains/utxo/block-wasm.ts';
import { isRight, SAMPLE_BYTES } from '../../../../src/chains/utxo/try-out.ts';
import { compileWide } from '../../../../src/wasm/wide-vectors.ts';

const memory = (): BlockMemory => new BlockMemory(new BlockRoom(SAMPLE_BYTES));

it('finds nothing wrong with the module that blocks are read by, however it was compiled', () => {
  expect(isRight(memory())).toBe(true);
  const usual = new WebAssembly.Module(blockWasm());
  expect(isRight(new BlockMemory(new BlockRoom(SAMPLE_BYTES), usual))).toBe(true);
});

it('notices one wrong bit in what is decoded, one character that is no digit, and another root', () => {
  const right = memory();
  const { room } = right;
  const bad = (changed: Partial<Parameters<typeof isRight>[0]>): boolean =>
    isRight({
      room,
      takeHex: (text, from, end) => right.takeHex(text, from, end),
      merkleRoot: (ids) => right.merkleRoot(ids),
      ...changed,
    });
  expect(bad({})).toBe(true);
  for (const at of [0, 31, 32, SAMPLE_BYTES - 1]) {
    const flips = (text: Uint8Array, from: number, end: number): void => {
      right.takeHex(text, from, end);
      const bytes = room.block(SAMPLE_BYTES);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    };
    expect(bad({ takeHex: flips })).toBe(false);
  }
  const lax = (text: Uint8Array, from: number, end: number): void =>
    right.takeHex(
      new TextEncoder().encode(Buffer.from(text).toString('latin1').replaceAll('g', 'a')),
      from,
      end,
    );
  expect(bad({ takeHex: lax })).toBe(false);
  expect(bad({ merkleRoot: (ids) => right.merkleRoot(ids.subarray(32)) })).toBe(false);
});

it('has a module that fails the trial compiled as any other is', () => {
  const tried: object[] = [];
  const module = compileWide(blockWasm(), (wide) => {
    tried.push(wide);
    return false;
  });
  expect(tried).not.toContain(module);
  expect(isRight(new BlockMemory(new BlockRoom(SAMPLE_BYTES), module))).toBe(true);
  expect(compileWide(blockWasm(), () => true)).toBeInstanceOf(WebAssembly.Module);
});
