import { describe, expect, it } from 'vitest';
import { createSubmitter } from '../../../src/chains/ethereum/sends/submit.ts';
import type { NodeClient } from '../../../src/chains/ethereum/rpc/node-client.ts';
import { createRecheck } from '../../../src/chains/shared/recheck.ts';
import { parsed, RpcRefusal } from '../../../src/chains/shared/json-rpc.ts';
import { createNodeClient } from '../../../src/chains/utxo/rpc/node-client.ts';
import type { Rpc } from '../../../src/chains/utxo/rpc/rpc.ts';
import { createSubmitter as createUtxoSubmitter } from '../../../src/chains/utxo/sends/submit.ts';
import { ChainError } from '../../../src/domain/chain.ts';

const hash = (digit: number): string => `0x${String(digit).repeat(64)}`;
const stored = [1, 2, 3].map((digit) => ({ txid: hash(digit), raw: null }));
const malformed = new ChainError('bad_answer', 'eth_getTransactionReceipt: unexpected status');
const refusal = new RpcRefusal('eth_getTransactionReceipt', -32603, 'internal error');
const refused = new ChainError('unavailable', refusal.message, { cause: refusal });

function recorder() {
  const lines: object[] = [];
  const warn = (fields: object, message: string) => void lines.push({ ...fields, message });
  return { lines, logger: { debug() {}, info() {}, warn, error() {} } };
}

/** The fates by an Ethereum node that knows the transactions but fails about one of them. */
function fatesOf(failure: ChainError, isBroken: () => boolean = () => true) {
  const { lines, logger } = recorder();
  const asked: string[] = [];
  const client: Partial<NodeClient> = {
    tip: async () => ({ number: 5, hash: hash(5), parentHash: hash(4), timestamp: 1 }),
    accountState: async (txid) => {
      asked.push(txid);
      if (txid === hash(2) && isBroken()) throw failure;
      return { knowsTip: true, used: null, receipt: null, isKnown: true };
    },
  };
  const submitter = createSubmitter({ client: client as NodeClient, logger, wasRead: () => false });
  const recheck = createRecheck(logger);
  const run = async () => [
    ...(await recheck(stored, async (each) => submitter.getTransactionStatus(each))).values(),
  ];
  return { lines, asked, run };
}

describe('createRecheck of unconfirmed transactions', () => {
  it.each([
    ['malformed', malformed],
    ['refused', refused],
  ])(
    'leaves the status of one transaction unknown when the node returns %s, and checks the others',
    async (_, failure) => {
      const { lines, run } = fatesOf(failure);
      expect(await run()).toEqual(['present', 'unknown', 'present']);
      expect(await run()).toEqual(['present', 'unknown', 'present']);
      expect(lines).toEqual([
        {
          txid: hash(2),
          reason: failure.message,
          message: 'status of an unconfirmed transaction unreadable; it stays unknown, nothing is reversed',
        },
      ]);
    },
  );

  it('logs a transaction again that fails again after a successful check', async () => {
    let isBroken = true;
    const { lines, run } = fatesOf(malformed, () => isBroken);
    await run();
    isBroken = false;
    expect(await run()).toEqual(['present', 'present', 'present']);
    isBroken = true;
    await run();
    expect(lines).toHaveLength(2);
  });

  it.each([
    ['is away', new ChainError('unavailable', 'eth_getTransactionReceipt: ECONNREFUSED')],
    ['limits the rate', new ChainError('unavailable', 'batch of 3: HTTP 429: rate limit')],
  ])('stops and leaves the remaining transactions unknown when the node %s', async (_, failure) => {
    const { asked, run } = fatesOf(failure);
    expect(await run()).toEqual(['present', 'unknown', 'unknown']);
    expect(asked).toEqual([hash(1), hash(2)]);
  });

  it('checks the other transactions when Bitcoin Core returns one mempool entry in another format', async () => {
    const { lines, logger } = recorder();
    const rpc: Partial<Rpc> = {
      call: async (method, [txid], schema) => parsed(txid === hash(2) ? [5] : {}, method, schema),
    };
    const submitter = createUtxoSubmitter(createNodeClient(rpc as Rpc), false, logger);
    const fates = await createRecheck(logger)(stored, async (each) => submitter.getTransactionStatus(each));
    expect([...fates.values()]).toEqual(['present', 'unknown', 'present']);
    expect(lines).toMatchObject([{ txid: hash(2), reason: expect.stringContaining('getmempoolentry') }]);
  });
});
