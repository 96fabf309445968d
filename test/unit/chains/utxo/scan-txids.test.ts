import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanTxids, type TxidSpan } from '../../../../src/chains/utxo/mempool/scan-txids.ts';
import { KEY_BYTES, TX_STATE, TxidHash, TxidTable } from '../../../../src/chains/utxo/mempool/txid-table.ts';
import { parseExactJson, parseTxidsReply } from '../../../../src/chains/utxo/rpc/exact-json.ts';
import { toTxidBytes } from '../../../../src/chains/utxo/rpc/node-answers.ts';

const txid = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString('hex'));
const txids = fc.uniqueArray(txid, { maxLength: 40 });
const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text));
const all = (span: TxidSpan): string[] => span.take(0, span.length);

const BEST = 'b1'.repeat(32);
const INFO = '{"loaded":true,"total_fee":12.34567890,"mempoolminfee":0.00001000}';

/** A node's answer to the batch of NodeClient.mempool, around a list as JSON. */
function answerWith(list: string): string {
  const results = [`"${BEST}"`, list, `"${BEST}"`, INFO];
  return `[${results.map((result, id) => `{"result":${result},"error":null,"id":${id}}`).join(',')}]\n`;
}

/** The list of an answer, and everything else in it. */
function read(text: string): { list: unknown; rest: unknown } {
  const replies = parseTxidsReply(bytesOf(text)) as { result: unknown }[];
  const list = replies[1]?.result;
  const rest = replies.map((reply, at) => (at === 1 ? { ...reply, result: null } : reply));
  return { list, rest };
}

async function scanned(bytes: Uint8Array<ArrayBuffer>): Promise<string[]> {
  return all((await scanTxids(bytes, new TxidTable(0), new TxidHash())).added);
}

describe('parseTxidsReply', () => {
  it('returns the ids of a list as bytes and the other results as parsed values', () => {
    fc.assert(
      fc.property(txids, (ids) => {
        const { list, rest } = read(answerWith(JSON.stringify(ids)));
        if (ids.length > 0) expect(list).toEqual(toTxidBytes(ids));
        else expect(list).toEqual([]);
        expect(rest).toMatchObject([
          { result: BEST },
          {},
          { result: BEST },
          { result: { total_fee: '12.34567890' } },
        ]);
      }),
    );
  });

  it.each([
    ['spaces between the ids', JSON.stringify(['ab'.repeat(32), 'cd'.repeat(32)], null, 1)],
    ['a bracket in a string', `["${'ab'.repeat(31)}]${'c'.repeat(132)}"]`],
    ['an escape', `["${'ab'.repeat(31)}\\u0061b"]`],
    ['short ids', '["ab","cd"]'],
    ['the marker', '"long text"'],
    ['an object', '{"txids":[],"mempool_sequence":4}'],
  ])('returns the same value as JSON.parse for a list with %s', (_what, list) => {
    expect(read(answerWith(list)).list).toEqual(JSON.parse(list));
  });

  it('returns the same value as JSON.parse, or rejects as it does, for an answer with any byte changed', () => {
    const text = answerWith(JSON.stringify(['ab'.repeat(32), 'cd'.repeat(32)]));
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom('"', ']', ',', '[', '{', '}', '\\', 'x', '0', ' '),
        (at, character) => {
          const changed = text.slice(0, at) + character + text.slice(at + 1);
          let expected: unknown;
          try {
            expected = parseExactJson(changed);
          } catch {
            // Only a list in the usual form is passed on without a check, which the scanner makes.
            const found = attempt(() => parseTxidsReply(bytesOf(changed)));
            if (found instanceof SyntaxError) return;
            const list = (found as { result: unknown }[])[1]?.result;
            expect(list).toBeInstanceOf(Uint8Array);
            return;
          }
          const found = parseTxidsReply(bytesOf(changed)) as { result?: unknown }[];
          for (const reply of [found].flat()) {
            if (reply.result instanceof Uint8Array)
              reply.result = JSON.parse(`[${Buffer.from(reply.result).toString('latin1')}]`);
          }
          expect(found).toEqual(expected);
        },
      ),
    );
  });
});

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('scanTxids', () => {
  it('returns every txid of a list in its order', async () => {
    await fc.assert(
      fc.asyncProperty(txids, async (ids) => {
        expect(await scanned(toTxidBytes(ids))).toEqual(ids);
      }),
    );
  });

  it('reads valid JSON that contains spaces', async () => {
    await fc.assert(
      fc.asyncProperty(txids, async (ids) => {
        const spaced = bytesOf(JSON.stringify(ids, null, 1).slice(1, -1));
        expect(await scanned(spaced)).toEqual(ids);
      }),
    );
  });

  it('reads lists that are longer than one slice of the parser', async () => {
    const ids = Array.from({ length: 9_000 }, (_, at) => at.toString(16).padStart(64, '0'));
    expect(await scanned(toTxidBytes(ids))).toEqual(ids);
  });

  it('rejects a list with any changed byte', async () => {
    const bytes = toTxidBytes(['ab'.repeat(32), 'cd'.repeat(32), 'ef'.repeat(32)]);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.constantFrom('"', ']', ',', 'g', 'G', '\\', '\0', 'A'),
        async (at, character) => {
          const changed = bytes.slice();
          changed[at] = character.charCodeAt(0);
          fc.pre(changed[at] !== bytes[at]);
          await expect(scanned(changed)).rejects.toMatchObject({ kind: 'bad_answer' });
        },
      ),
    );
  });

  it('rejects random and truncated bytes', async () => {
    const bytes = toTxidBytes(['ab'.repeat(32), 'cd'.repeat(32)]);
    const truncated = fc.integer({ min: 1, max: bytes.length - 1 }).map((end) => bytes.slice(0, end));
    const random = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((value) => new Uint8Array(value));
    await fc.assert(
      fc.asyncProperty(fc.oneof(truncated, random), async (value) => {
        fc.pre(value.length !== 66 && !/^\s*$/.test(Buffer.from(value).toString('latin1')));
        await expect(scanned(value)).rejects.toMatchObject({ kind: 'bad_answer' });
      }),
    );
  });

  it('returns which txids are known, new or not read yet', async () => {
    const hash = new TxidHash();
    const [first, second, third] = ['aa'.repeat(32), 'bb'.repeat(32), 'cc'.repeat(32)] as const;
    const before = await scanTxids(toTxidBytes([first, second]), new TxidTable(0), hash);
    hash.hashText(first);
    before.table.set(hash.high, hash.low, TX_STATE.irrelevant);
    const after = await scanTxids(toTxidBytes([third, second, first]), before.table, hash);
    expect([all(after.added), all(after.backlog)]).toEqual([[third], [second]]);
  });
});

describe('TxidTable', () => {
  it('contains the same entries as a map of the same fingerprints', () => {
    const word = fc.oneof(fc.constantFrom(0, 1, 2, 0xffffffff), fc.integer({ min: 0, max: 0xffffffff }));
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word, fc.constantFrom(0, 1, 2)), { maxLength: 200 }), (entries) => {
        const table = new TxidTable(entries.length);
        const expected = new Map<string, number>();
        for (const [high, low, state] of entries) {
          if (high === 0 && low === 0) continue;
          table.set(high, low, state);
          expected.set(`${high} ${low}`, state);
        }
        for (const [high, low] of entries) expect(table.get(high, low)).toBe(expected.get(`${high} ${low}`));
        const irrelevant: string[] = [];
        table.each(1, { from: 0, to: table.size }, (high, low) => irrelevant.push(`${high} ${low}`));
        const found = [...expected].filter(([, state]) => state === 1).map(([key]) => key);
        expect(irrelevant.toSorted()).toEqual(found.toSorted());
      }),
    );
  });
});

describe('TxidHash', () => {
  it('gives txids that differ in one word different fingerprints under every key', () => {
    const key = fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES });
    fc.assert(
      fc.property(key, txid, fc.nat(7), fc.integer({ min: 1, max: 0xffffffff }), (secret, id, at, change) => {
        const hash = new TxidHash(new Uint8Array(secret));
        const word = Number.parseInt(id.slice(at * 8, at * 8 + 8), 16);
        const other = ((word ^ change) >>> 0).toString(16).padStart(8, '0');
        hash.hashText(id);
        const { high, low } = hash;
        hash.hashText(id.slice(0, at * 8) + other + id.slice(at * 8 + 8));
        expect([hash.high, hash.low]).not.toEqual([high, low]);
      }),
    );
  });

  it('gives a txid another fingerprint under another key', () => {
    const id = 'ab'.repeat(32);
    const [first, second] = [new TxidHash(), new TxidHash()];
    first.hashText(id);
    second.hashText(id);
    expect([first.high, first.low]).not.toEqual([second.high, second.low]);
  });
});
