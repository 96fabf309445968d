import { expect, it } from 'vitest';
import { BalanceReader } from '../../../../src/chains/ethereum/accounts/balance-reads.ts';
import { balancesAt, readableBalancesAt } from '../../../../src/chains/ethereum/accounts/balances-at.ts';
import type { NodeClient } from '../../../../src/chains/ethereum/rpc/node-client.ts';
import { createRpc } from '../../../../src/chains/ethereum/rpc/rpc.ts';
import type { Logger } from '../../../../src/domain/ports.ts';
import { silent } from '../../../_helpers/wallet-world.ts';

const BLOCK = `0x${'5'.repeat(64)}`;
const header = (number: number) => ({
  number: `0x${number.toString(16)}`,
  hash: BLOCK,
  parentHash: `0x${'4'.repeat(64)}`,
  timestamp: '0x1',
});
const account = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`;
const accounts = (count: number): string[] => Array.from({ length: count }, (_, at) => account(at + 1));

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}
type Reply = { readonly result: unknown } | { readonly error: { code: number; message: string } } | number;

/** A reader before a node that answers as configured; a number is an HTTP status. */
function readerOf(answer: (call: Call) => Reply, logger: Logger = silent) {
  const asked: string[] = [];
  let now = 0;
  const rpc = createRpc({
    post: async (body) => {
      const request = JSON.parse(body) as Call | readonly Call[];
      const calls = 'method' in request ? [request] : request;
      const replies = calls.map((call) => {
        asked.push(call.method);
        return { id: call.id, told: answer(call) };
      });
      const refused = replies.find(({ told }) => typeof told === 'number');
      if (refused !== undefined) return { status: refused.told as number, text: '' };
      const texts = replies.map(({ id, told }) => ({ jsonrpc: '2.0', id, ...(told as object) }));
      return { status: 200, text: JSON.stringify('method' in request ? texts[0] : texts) };
    },
    postForBytes: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  });
  const reader = new BalanceReader(rpc, { batchSize: 10, clock: { now: () => now }, logger });
  const count = (method: string): number => asked.filter((each) => each === method).length;
  return { reader, count, advance: (ms: number) => (now += ms) };
}

/** What the code that is sent returns: of every address its own number. */
function words({ params }: Call): string {
  const [{ data }] = params as [{ data: string }];
  const keys = data.slice(2 + 84).match(/.{40}/g) ?? [];
  return `0x${keys.map((key) => key.padStart(64, '0')).join('')}`;
}

const own = ({ params }: Call): Reply => ({ result: `0x${BigInt(String(params[0])).toString(16)}` });
const amounts = (count: number): bigint[] => accounts(count).map((key) => BigInt(key));

it('BalanceReader reads seven hundred balances per call', async () => {
  const { reader, count } = readerOf((call) => ({ result: words(call) }));
  expect(await reader.read(accounts(1_401), BLOCK)).toEqual({ answers: amounts(1_401), failure: null });
  expect(count('eth_call')).toBe(3);
});

it.each<[string, Reply]>([
  ['refuses the call', { error: { code: -32_601, message: 'the method eth_call is not available' } }],
  ['requires a recipient', { error: { code: -32_602, message: 'missing required field to' } }],
  ['limits the size of the response', { error: { code: -32_000, message: 'max code size exceeded' } }],
  ['rejects a request of that size', 413],
  ['returns nothing', { result: '0x' }],
  ['returns fewer balances than requested', { result: `0x${'0'.repeat(64)}` }],
])(
  'BalanceReader requests each balance separately from a node that %s, and retries the bulk call later',
  async (_, refusal) => {
    let isRefusing = true;
    const { reader, count, advance } = readerOf((call) => {
      if (call.method === 'eth_getBalance') return own(call);
      return isRefusing ? refusal : { result: words(call) };
    });
    expect(await reader.read(accounts(25), BLOCK)).toEqual({ answers: amounts(25), failure: null });
    await reader.read(accounts(25), BLOCK);
    expect(count('eth_call')).toBe(1);
    isRefusing = false;
    advance(3_600_000);
    expect((await reader.read(accounts(25), BLOCK)).answers).toEqual(amounts(25));
    expect(count('eth_call')).toBe(2);
  },
);

it.each<[string, Reply]>([
  ['missing trie node', { error: { code: -32_000, message: 'missing trie node 5c (path )' } }],
  ['that says the state is not available', { error: { code: -32_000, message: 'state 5 is not available' } }],
  [
    'that says Nethermind has no old blocks',
    { error: { code: -32_002, message: 'No state available for block 5' } },
  ],
  ['that is empty (Besu)', { result: null }],
])(
  'BalanceReader leaves balances unknown after the missing-state error %s, without requesting each balance separately',
  async (_, refusal) => {
    const { reader, count } = readerOf(() => refusal);
    expect(await reader.read(accounts(300), BLOCK)).toEqual({
      answers: accounts(300).map(() => 'unknown'),
      failure: null,
    });
    expect(count('eth_getBalance')).toBeLessThanOrEqual(1);
  },
);

it('BalanceReader requests each balance separately when the node reports missing state for the bulk call only', async () => {
  const refusal = { error: { code: -32_000, message: 'historical state is not available in your plan' } };
  const { reader } = readerOf((call) => (call.method === 'eth_call' ? refusal : own(call)));
  expect(await reader.read(accounts(25), BLOCK)).toEqual({ answers: amounts(25), failure: null });
});

it('BalanceReader does not treat a load-balanced backend that lacks the block as a node that pruned its state or refuses bulk calls', async () => {
  let isBehind = true;
  const { reader, count } = readerOf((call) => {
    if (call.method === 'eth_getBlockByHash') return { result: isBehind ? null : header(5) };
    if (call.method === 'eth_getBlockByNumber') return { result: header(5) };
    return isBehind
      ? { error: { code: -32_000, message: 'header for hash not found' } }
      : { result: words(call) };
  });
  const behind = await reader.read(accounts(3), BLOCK);
  expect(behind).toMatchObject({ answers: [], failure: { kind: 'unavailable' } });
  isBehind = false;
  expect((await reader.read(accounts(3), BLOCK)).answers).toEqual(amounts(3));
  expect(count('eth_getBalance')).toBe(0);
});

it('BalanceReader returns the balances that it had read when the node began to limit the rate', async () => {
  let left = 20;
  const { reader } = readerOf((call) => {
    if (call.method === 'eth_call') return { error: { code: -32_601, message: 'no such method' } };
    left -= 1;
    return left < 0 ? 429 : own(call);
  });
  const { answers, failure } = await reader.read(accounts(40), BLOCK);
  // One went to find out that such calls are refused; the second ten were refused as a whole.
  expect(answers).toEqual(amounts(10));
  expect(failure).toMatchObject({ kind: 'unavailable' });
});

it('BalanceReader does not treat an internal error of the node as pruned state', async () => {
  const { reader } = readerOf(() => ({ error: { code: -32_603, message: 'Internal error' } }));
  expect(await reader.read(accounts(3), BLOCK)).toMatchObject({
    answers: [],
    failure: { kind: 'unavailable' },
  });
});

it.each<[string, unknown]>([
  ['a number', 5],
  ['no quantity', '0xzz'],
  ['an object', {}],
])(
  'BalanceReader skips one account whose balance is %s, logs it once and reads the others',
  async (_, malformed) => {
    const lines: object[] = [];
    const logger = {
      ...silent,
      error: (fields: object, message: string) => void lines.push({ ...fields, message }),
    };
    const { reader } = readerOf((call) => {
      if (call.method === 'eth_call') return { error: { code: -32_601, message: 'no such method' } };
      return call.params[0] === account(3) ? { result: malformed } : own(call);
    }, logger);
    const expected = amounts(25).map((amount) => (amount === 3n ? 'unreadable' : amount));
    for (let block = 0; block < 2; block += 1)
      expect(await reader.read(accounts(25), BLOCK)).toEqual({ answers: expected, failure: null });
    expect(lines).toMatchObject([
      {
        coin: 'ETH',
        account: account(3),
        method: 'eth_getBalance',
        message: 'on-chain account unreadable; skipped and retried, other accounts are not affected',
      },
    ]);

    const client = { balances: async (keys: readonly string[], hash: string) => reader.read(keys, hash) };
    const block = { height: 5, hash: BLOCK };
    const held = await readableBalancesAt(client as NodeClient, accounts(4), block);
    expect([...held.values()]).toEqual([1n, 2n, 4n]);
    await expect(balancesAt(client as NodeClient, accounts(4), block)).rejects.toMatchObject({
      kind: 'bad_answer',
    });
  },
);
