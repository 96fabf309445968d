import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KeyPath } from '../../../src/domain/keys.ts';
import { IssuedAddresses, withReservedAddresses } from '../../../src/wallet/issued-addresses.ts';

const PATH: KeyPath = { coin: 'BTC', mode: 'live', account: 0, branch: 0, index: 0 };
const errors: unknown[] = [];
const logger = { error: (fields: object) => void errors.push(fields) };
let dir: string;
let file: string;
beforeEach(() => {
  errors.length = 0;
  dir = mkdtempSync(join(tmpdir(), 'tilld-given-'));
  file = join(dir, 'given-addresses.test');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const limitsIn = (text: string): number[] =>
  [...text.matchAll(/^0 BTC live 0 (\d+)$/gm)].map((m) => Number(m[1]));

test('withReservedAddresses derives an address only after the file of issued addresses contains a higher index', () => {
  const issued = IssuedAddresses.open(file, [], logger);
  const deriver = withReservedAddresses(
    {
      address: ({ index }) => {
        expect(Math.max(...limitsIn(readFileSync(file, 'latin1')))).toBeGreaterThan(index);
        return String(index);
      },
    },
    issued,
  );
  for (let index = 0; index < 2_000; index += 1)
    expect(deriver.address({ ...PATH, index })).toBe(String(index));
  issued.close();
  // In steps: two thousand addresses cost four lines.
  expect(limitsIn(readFileSync(file, 'latin1'))).toEqual([500, 1000, 1500, 2000]);
});

test('IssuedAddresses returns its stored indexes in one line per branch, raised to those of the database', () => {
  const first = IssuedAddresses.open(file, [], logger);
  first.reserve(PATH);
  first.reserve({ ...PATH, index: 700 });
  first.reserve({ ...PATH, account: 3, coin: 'SOL', mode: 'sandbox' });
  first.recordIssued(42);
  first.close();
  const second = IssuedAddresses.open(file, [{ ...PATH, index: 5_000 }], logger);
  expect(second.branches).toEqual([
    { ...PATH, index: 5_000 },
    { ...PATH, account: 3, coin: 'SOL', mode: 'sandbox', index: 500 },
  ]);
  expect([second.isAheadOf(41), second.isAheadOf(42)]).toEqual([true, false]);
  second.close();
  expect(limitsIn(readFileSync(file, 'latin1'))).toEqual([5_000]);
});

test('IssuedAddresses completes an interrupted skip of indexes at the next start', () => {
  const first = IssuedAddresses.open(file, [], logger);
  first.recordIssued(10);
  first.markBehind();
  first.close();
  const second = IssuedAddresses.open(file, [], logger);
  expect(second.isAheadOf(1_000_000)).toBe(true);
  second.recordIssued(1_000_000);
  second.close();
  const third = IssuedAddresses.open(file, [], logger);
  expect(third.isAheadOf(1_000_000)).toBe(false);
  third.close();
});

test('withReservedAddresses issues no address when the file cannot be written, and succeeds on the next attempt', () => {
  const issued = IssuedAddresses.open(file, [], logger);
  issued.reserve(PATH);
  issued.close();
  // Its file is closed: every write fails, as on a disk that is gone.
  expect(() => issued.reserve({ ...PATH, index: 499 })).not.toThrow();
  expect(() => issued.reserve({ ...PATH, index: 500 })).toThrow('EBADF');
  issued.recordIssued(7);
  issued.recordIssued(8);
  expect(errors).toHaveLength(1);
});

test.each([
  '',
  'tilld',
  'tilld given addresses 2\nnewest 000000000000000\n',
  'zeros',
  '0 BTC live 2 5\n',
  '0 DOGE live 0 5\n',
  '-1 BTC live 0 5\n',
])('IssuedAddresses rejects a damaged file (%j)', (text) => {
  IssuedAddresses.open(file, [], logger).close();
  const whole = readFileSync(file, 'latin1');
  const isLine = text.includes(' live ');
  writeFileSync(file, isLine ? whole + text : text === 'zeros' ? '\0'.repeat(whole.length) : text);
  expect(() => IssuedAddresses.open(file, [], logger)).toThrow('damaged');
});
