import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { compressFrameSync } from 'lz4-napi';
import { expect, it } from 'vitest';
import { unpackFrame } from '../../../src/replica/standby/lz4-frame.ts';

/** Half of it compresses. */
function bytesOf(length: number): Buffer {
  return Buffer.concat([randomBytes(length >> 1), Buffer.alloc(length - (length >> 1), 'tilld')]);
}

const optionsArb = fc.record({ contentChecksum: fc.boolean(), blockChecksums: fc.boolean() });

it('unpacks whole frames, whichever checksums they have', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(300_000), optionsArb, async (length, options) => {
      const bytes = bytesOf(length);
      expect(await unpackFrame(compressFrameSync(bytes, options))).toEqual(bytes);
    }),
    { numRuns: 50 },
  );
});

it('takes no frame that ends early, not even between two of its blocks, and none with more behind it', async () => {
  const frame = compressFrameSync(bytesOf(18_000_000), { contentChecksum: true });
  // After the header: each block's size, and the block.
  const boundaries: number[] = [];
  for (let at = 7; at < frame.length - 8; at += 4 + (frame.readUInt32LE(at) & 0x7fffffff))
    boundaries.push(at);
  expect(boundaries.length).toBeGreaterThan(2);
  for (const length of [
    1,
    6,
    ...boundaries,
    ...boundaries.map((at) => at + 4),
    frame.length - 4,
    frame.length - 1,
  ])
    expect(await unpackFrame(frame.subarray(0, length))).toBe('cut off');
  expect(await unpackFrame(Buffer.concat([frame, Buffer.alloc(1)]))).toBe('damaged');
  expect(await unpackFrame(Buffer.alloc(100))).toBe('damaged');
  expect(await unpackFrame(Buffer.alloc(0))).toBe('cut off');
});

it('takes no frame of which a bit has changed', async () => {
  const bytes = bytesOf(5_000);
  const frame = compressFrameSync(bytes, { contentChecksum: true });
  await fc.assert(
    fc.asyncProperty(fc.nat(frame.length * 8 - 1), async (bit) => {
      const changed = Buffer.from(frame);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const found = await unpackFrame(changed);
      // A flag that nothing depends on may change; what the frame holds may not.
      if (found instanceof Buffer) expect(found).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
});
