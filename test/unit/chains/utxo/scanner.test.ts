import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOfHex, openBlock } from '../../../../src/chains/utxo/blocks/block.ts';
import { ByteReader } from '../../../../src/chains/utxo/blocks/byte-reader.ts';
import { displayHex } from '../../../../src/chains/utxo/blocks/hash256.ts';
import {
  addressableScript,
  outpointKey,
  outputAmount,
  scanLoneTransaction,
  scanTransaction,
} from '../../../../src/chains/utxo/blocks/transaction.ts';
import { ChainError } from '../../../../src/domain/chain.ts';
import {
  blockOf,
  COINBASE,
  encodeBlock,
  encodeTransaction,
  p2wpkh,
  scanBlock,
  type TestTransaction,
  txidOf,
  withMweb,
} from './raw-chain.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const script = fc.oneof(bytes(40), bytes(600), fc.constant(p2wpkh('ab'.repeat(20))));
const transactions: fc.Arbitrary<TestTransaction> = fc.record({
  inputs: fc.array(
    fc.record({
      txid: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((raw) => Buffer.from(raw).toString('hex')),
      index: fc.nat({ max: 0xffffffff }),
      script: bytes(120),
      witness: fc.array(bytes(300), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  outputs: fc.array(fc.record({ amount: fc.bigInt(0n, 21n * 10n ** 14n), script }), {
    minLength: 1,
    maxLength: 6,
  }),
});

/** Whatever the bytes, a scan either succeeds or says what is wrong: nothing else may escape. */
function scanOrRefuse(scan: () => unknown): void {
  try {
    scan();
  } catch (error) {
    expect(error).toBeInstanceOf(ChainError);
    expect(['bad_answer', 'unknown_version']).toContain((error as ChainError).kind);
  }
}

describe('scanTransaction', () => {
  it('decodes what @scure/btc-signer encoded, with the same txid', () => {
    fc.assert(
      fc.property(transactions, fc.boolean(), (transaction, mweb) => {
        const raw = encodeTransaction(transaction);
        const scanned = scanLoneTransaction(raw, mweb);
        expect(displayHex(scanned.id)).toBe(txidOf(transaction));
        expect(scanned.inputs.map((at) => outpointKey(raw, at))).toEqual(
          transaction.inputs.map(({ txid, index }) => `${txid}:${index}`),
        );
        expect(scanned.outputs.map((at) => outputAmount(raw, at))).toEqual(
          transaction.outputs.map(({ amount }) => amount),
        );
        expect(scanned.outputs.map((at) => addressableScript(raw, at))).toEqual(
          transaction.outputs.map((output) =>
            output.script.length < 4 || output.script.length > 42
              ? null
              : Buffer.from(output.script).toString('hex'),
          ),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('rejects every truncation and names the byte where the input ended', () => {
    fc.assert(
      fc.property(transactions, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (tx, part) => {
        const raw = encodeTransaction(tx);
        const cut = raw.subarray(0, Math.floor(raw.length * part));
        expect(() => scanLoneTransaction(cut, false)).toThrow(/malformed at byte \d+/);
      }),
      { numRuns: 300 },
    );
  });

  it('rejects trailing bytes', () => {
    const raw = encodeTransaction(COINBASE);
    expect(() => scanLoneTransaction(Buffer.concat([raw, Buffer.from([0])]), false)).toThrow(ChainError);
  });

  it('throws no other error on mutated or random bytes', () => {
    fc.assert(
      fc.property(transactions, fc.nat(), fc.nat({ max: 255 }), fc.boolean(), (tx, at, value, mweb) => {
        const raw = encodeTransaction(tx);
        raw[at % raw.length] = value;
        scanOrRefuse(() => scanLoneTransaction(raw, mweb));
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(bytes(300), fc.boolean(), (raw, mweb) =>
        scanOrRefuse(() => scanLoneTransaction(Buffer.from(raw), mweb)),
      ),
      { numRuns: 500 },
    );
  });

  it('does not allocate memory for a count that exceeds the input', () => {
    const raw = Buffer.from('02000000feffffffff', 'hex');
    expect(() => scanLoneTransaction(raw, false)).toThrow(/cannot follow/);
  });
});

describe('scanTransaction with MWEB data', () => {
  const legacy = encodeTransaction(COINBASE);

  it('skips the MWEB data of an unconfirmed transaction without changing its txid', () => {
    const raw = withMweb(legacy, Buffer.from(`01${'77'.repeat(500)}`, 'hex'));
    const scanned = scanLoneTransaction(raw, true);
    expect(displayHex(scanned.id)).toBe(txidOf(COINBASE));
    expect(scanned.isHogEx).toBe(false);
    expect(scanned.outputs).toHaveLength(1);
  });

  it('recognises the HogEx transaction by its empty MWEB part', () => {
    const scanned = scanLoneTransaction(withMweb(legacy, Buffer.from([0])), true);
    expect(scanned.isHogEx).toBe(true);
    expect(displayHex(scanned.id)).toBe(txidOf(COINBASE));
  });

  it('rejects MWEB data in a block transaction, because it belongs into the extension block', () => {
    const raw = withMweb(legacy, Buffer.from('0155', 'hex'));
    expect(() => scanTransaction(new ByteReader(raw), { mweb: true, lone: false })).toThrow(/MWEB marker/);
  });

  it('rejects MWEB data on a chain without MWEB', () => {
    expect(() => scanLoneTransaction(withMweb(legacy, Buffer.from([0])), false)).toThrow(
      /unknown transaction flag/,
    );
  });
});

describe('openBlock', () => {
  const payment: TestTransaction = {
    inputs: [{ txid: 'aa'.repeat(32), index: 1, witness: [new Uint8Array(71), new Uint8Array(33)] }],
    outputs: [{ amount: 1_000n, script: p2wpkh('ab'.repeat(20)) }],
  };

  it('reads header, parent, time and every transaction', () => {
    fc.assert(
      fc.property(fc.array(transactions, { maxLength: 12 }), (others) => {
        const all = [COINBASE, ...others];
        const { bytes: raw, hash } = blockOf(all);
        const block = scanBlock(raw, hash, false);
        expect(block.hash).toBe(hash);
        expect(block.parentHash).toBe('11'.repeat(32));
        expect(block.timeMs).toBe(1_700_000_000_000);
        expect(block.candidates.map(({ id }) => displayHex(id))).toEqual(all.map(txidOf));
      }),
      { numRuns: 100 },
    );
  });

  it('rejects another block than the requested one', () => {
    const { bytes: raw } = blockOf([COINBASE]);
    expect(() => scanBlock(raw, 'ff'.repeat(32), false)).toThrow(/asked for block ff/);
  });

  it('ignores the extension block after the last transaction, on MWEB chains only', () => {
    const parts = { transactions: [encodeTransaction(COINBASE)], txids: [txidOf(COINBASE)] };
    const { bytes: raw, hash } = encodeBlock({ ...parts, trailer: Buffer.from('01deadbeef', 'hex') });
    expect(scanBlock(raw, hash, true).candidates).toHaveLength(1);
    expect(() => scanBlock(raw, hash, false)).toThrow(/bytes after the last transaction/);
  });

  it('throws its own error for every truncated or mutated block', () => {
    const { bytes: raw, hash } = blockOf([COINBASE, payment, payment, COINBASE]);
    for (let length = 0; length < raw.length; length += 1) {
      expect(() => scanBlock(raw.subarray(0, length), hash, false)).toThrow(ChainError);
    }
    fc.assert(
      fc.property(fc.nat({ max: raw.length - 1 }), fc.nat({ max: 255 }), (at, value) => {
        const changed = Buffer.from(raw);
        changed[at] = value;
        scanOrRefuse(() => scanBlock(changed, hash, false));
      }),
      { numRuns: 500 },
    );
  });

  it('rejects invalid hex instead of decoding half of it', () => {
    expect(() => bytesOfHex('00ffzz00')).toThrow(ChainError);
    expect(() => bytesOfHex('00f')).toThrow(ChainError);
    const { bytes: raw, hash } = blockOf([COINBASE]);
    const hex = raw.toString('hex');
    expect(openBlock({ raw: Buffer.from(hex.toUpperCase()), hash }).bytes).toEqual(raw);
    for (const text of [`${hex}0`, hex.replace(/.$/, 'g'), `${hex.slice(0, 200)}\u00ff${hex.slice(201)}`]) {
      expect(() => openBlock({ raw: Buffer.from(text, 'latin1'), hash })).toThrow(/not hex/);
    }
  });
});
