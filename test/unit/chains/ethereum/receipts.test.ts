import { expect, it } from 'vitest';
import { accountReads } from '../../../../src/chains/ethereum/accounts/account-reads.ts';
import { BalanceReader } from '../../../../src/chains/ethereum/accounts/balance-reads.ts';
import { createRpc } from '../../../../src/chains/ethereum/rpc/rpc.ts';
import { silent } from '../../../_helpers/wallet-world.ts';

const hash = (digit: number): string => `0x${String(digit).repeat(64)}`;
const hex = (number: number): string => `0x${number.toString(16)}`;
const block = { height: 1_000, hash: hash(5) };
const header = (number: number) => ({
  number: hex(number),
  hash: hash(5),
  parentHash: hash(4),
  timestamp: '0x1',
});
const receipt = (digit: number, blockHash = block.hash) => ({
  transactionHash: hash(digit),
  blockHash,
  blockNumber: hex(block.height),
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x1',
});

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly string[];
}

/** Receipts of transactions 1 and 2 from a node that answers as configured; asked again, as `later` says. */
async function receiptsAt(node: {
  readonly tip: number;
  readonly knowsBlock?: boolean;
  readonly first: Readonly<Record<string, unknown>>;
  readonly later?: Readonly<Record<string, unknown>>;
}): Promise<(string | null)[]> {
  let requests = 0;
  const rpc = createRpc({
    post: async (body) => {
      requests += 1;
      const told = requests === 1 ? node.first : { ...node.first, ...node.later };
      const replies = (JSON.parse(body) as Call[]).map(({ id, method, params }) => {
        if (method === 'eth_getBlockByHash')
          return { id, result: node.knowsBlock === false ? null : header(1_000) };
        if (method === 'eth_getBlockByNumber') return { id, result: header(node.tip) };
        const answer = told[params[0] ?? ''] ?? null;
        return answer instanceof Error
          ? { id, error: { code: 4444, message: answer.message } }
          : { id, result: answer };
      });
      return { status: 200, text: JSON.stringify(replies) };
    },
    postForBytes: () => Promise.reject(new Error('not asked for')),
    close: () => Promise.resolve(),
  });
  const balances = new BalanceReader(rpc, { batchSize: 100, clock: { now: () => 0 }, logger: silent });
  const reads = accountReads({ rpc, balances, batchSize: 100 });
  const found = await reads.receipts([hash(1), hash(2)], block);
  return found.map((each) => (each === 'unreadable' ? each : (each?.transactionHash ?? null)));
}

const both = { [hash(1)]: receipt(1), [hash(2)]: receipt(2) };

it('accountReads.receipts returns receipts in the order of the request', async () => {
  expect(await receiptsAt({ tip: 1_000, first: both })).toEqual([hash(1), hash(2)]);
});

it.each([
  ['null', null],
  ['a refusal that says so', new Error('pruned history unavailable')],
])(
  'accountReads.receipts treats receipts as pruned when a node that has the block, deep below its tip, returns %s',
  async (_, answer) => {
    const first = { [hash(1)]: receipt(1), [hash(2)]: answer };
    expect(await receiptsAt({ tip: 20_000, first })).toEqual([hash(1), null]);
  },
);

it('accountReads.receipts requests receipts again that a lagging backend does not have', async () => {
  expect(await receiptsAt({ tip: 1_000, first: {}, later: both })).toEqual([hash(1), hash(2)]);
});

it.each([
  ['a backend that does not know the block', { tip: 20_000, knowsBlock: false, first: {} }],
  ['a node whose tip is that block', { tip: 1_100, first: {} }],
  [
    'a backend on another branch',
    { tip: 20_000, first: { [hash(1)]: receipt(1, hash(9)), [hash(2)]: receipt(2, hash(9)) } },
  ],
])('accountReads.receipts treats receipts as unknown when they are missing at %s', async (_, node) => {
  await expect(receiptsAt(node)).rejects.toMatchObject({ kind: 'unavailable' });
});
