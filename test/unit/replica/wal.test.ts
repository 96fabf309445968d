import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  countFrames,
  isBefore,
  walName,
  parseSegmentName,
  parseSnapshotName,
  segmentName,
} from '../../../src/replica/standby/wal.ts';

const positionArb = fc.record({ index: fc.nat(0xffffffff), offset: fc.nat(0xffffffff) });

it('names WAL segments as Litestream 0.3 does', () => {
  expect(segmentName({ index: 31, offset: 4_152 })).toBe('0000001f_00001038.wal.lz4');
  expect(parseSnapshotName('0000001f.snapshot.lz4')).toBe(31);
  for (const other of [
    '0000001f_00001038.wal.lz4.tmp',
    '1f_1038.wal.lz4',
    '0000001F_00001038.wal.lz4',
    'wal',
  ])
    expect(parseSegmentName(other)).toBeUndefined();
});

it('sorts names as the segments follow each other, each behind the name of its log', () => {
  fc.assert(
    fc.property(positionArb, positionArb, (a, b) => {
      expect(parseSegmentName(segmentName(a))).toEqual(a);
      expect(segmentName(a) < segmentName(b)).toBe(isBefore(a, b));
      expect(segmentName(a) > walName(a.index)).toBe(true);
      expect(segmentName(a) > walName(b.index)).toBe(a.index >= b.index);
    }),
  );
});

it('counts frames of a log, and takes nothing else for one', () => {
  const header = Buffer.alloc(32);
  header.writeUInt32BE(0x377f0683, 0);
  header.writeUInt32BE(4_096, 8);
  expect(countFrames(header, 32)).toBe(0);
  expect(countFrames(header, 32 + 3 * 4_120)).toBe(3);
  expect(countFrames(header, 32 + 3 * 4_120 - 1)).toBeNull();
  expect(countFrames(header, 31)).toBeNull();
  expect(countFrames(Buffer.alloc(32), 32 + 4_120)).toBeNull();
});
