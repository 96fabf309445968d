import { beforeEach, describe, expect, it } from 'vitest';
import { ChainError } from '../../../../src/domain/chain.ts';
import { createNodeClient } from '../../../../src/chains/utxo/rpc/node-client.ts';
import { RpcRefusal, type RpcRequest } from '../../../../src/chains/shared/json-rpc.ts';
import { type Rpc } from '../../../../src/chains/utxo/rpc/rpc.ts';
import { createSubmitter } from '../../../../src/chains/utxo/sends/submit.ts';
import { encodeTransaction, p2wpkh, txidOf } from './raw-chain.ts';
import { silent } from '../../../_helpers/wallet-world.ts';

const OLD = 'a1'.repeat(32);
const NEW = 'b2'.repeat(32);
const parent = { inputs: [{ txid: '22'.repeat(32), index: 0 }], outputs: [] };
const payment = {
  inputs: [{ txid: txidOf(parent), index: 0 }],
  outputs: [{ amount: 5_000n, script: p2wpkh('aa'.repeat(20)) }],
};
const stored = { txid: txidOf(payment), raw: encodeTransaction(payment).toString('hex') };

/** One backend has the block with the parent, and the payment in its mempool; the other lacks both. */
const ahead = { tip: { height: 8, hash: NEW }, hasPayment: true, hasParent: true };
const behind = { tip: { height: 7, hash: OLD }, hasPayment: false, hasParent: false };
type Backend = typeof ahead;

/** Whether another transaction that spends the parent waits in the mempool. */
let hasRival = false;

/** Which backend answers each request in turn; the last one answers all later ones. */
let turns: Backend[] = [];
let asked = 0;

function answer({ tip, hasPayment, hasParent }: Backend, { method, params }: RpcRequest): unknown {
  switch (method) {
    case 'getblockchaininfo':
      return { chain: 'main', blocks: tip.height, headers: tip.height, bestblockhash: tip.hash };
    case 'sendrawtransaction':
      if (hasPayment) return stored.txid;
      if (hasRival) return new RpcRefusal(method, -26, 'txn-mempool-conflict');
      return new RpcRefusal(method, -25, 'bad-txns-inputs-missingorspent');
    case 'getmempoolentry':
      return hasPayment ? {} : new RpcRefusal(method, -5, 'Transaction not in mempool');
    case 'gettxout': {
      const isThere = params[0] === stored.txid ? hasPayment : hasParent && !hasPayment && !hasRival;
      return isThere ? { bestblock: tip.hash } : null;
    }
    case 'getblock':
      if (params[0] === NEW && tip.hash === OLD) return new RpcRefusal(method, -5, 'Block not found');
      return { tx: [] };
    case 'getblockheader':
      return { hash: params[0], height: 7, time: 0, mediantime: 0 };
    default:
      throw new Error(`${method} is not expected`);
  }
}

const next = (): Backend => turns[Math.min(asked++, turns.length - 1)] ?? behind;
const rpc: Rpc = {
  call: async (method, params, schema) => {
    const value = answer(next(), { method, params });
    if (value instanceof RpcRefusal) throw value;
    return schema.parse(value);
  },
  callOnce: (method, params, schema) => rpc.call(method, params, schema),
  batch: async (requests, schema) => {
    const backend = next();
    return requests.map((request) => {
      const value = answer(backend, request);
      return value instanceof RpcRefusal ? value : schema.parse(value);
    });
  },
  close: async () => undefined,
};

const fate = async () =>
  createSubmitter(createNodeClient(rpc), false, silent)
    .getTransactionStatus(stored, ahead.tip)
    .catch((error: unknown) => (error instanceof ChainError ? 'unknown' : Promise.reject(error)));

beforeEach(() => {
  asked = 0;
  hasRival = false;
});

describe('getTransactionStatus of an unconfirmed payment behind a load balancer with a lagging backend', () => {
  const both = [ahead, behind];
  const orders = Array.from({ length: 1 << 9 }, (_, bits) =>
    Array.from({ length: 9 }, (_turn, at) => both[(bits >> at) & 1] ?? ahead),
  );

  it('never returns gone, whichever backend answers which request', async () => {
    const said = new Set<string>();
    for (const order of orders) {
      turns = order;
      asked = 0;
      said.add(await fate());
    }
    expect([...said].toSorted()).toEqual(['present', 'unknown']);
  });

  it('returns gone when a backend at the cursor shows that another transaction spent its inputs', async () => {
    turns = [{ ...ahead, hasPayment: false, hasParent: false }];
    expect(await fate()).toBe('gone');
  });
});

it('getTransactionStatus returns gone, but not with final proof, when the conflicting transaction is not in a block', async () => {
  hasRival = true;
  turns = [{ ...ahead, hasPayment: false }];
  const submitter = createSubmitter(createNodeClient(rpc), false, silent);
  expect(await submitter.getTransactionStatus(stored, ahead.tip)).toBe('gone');
  expect(await submitter.getTransactionStatus(stored, ahead.tip, 'final')).toBe('unknown');
});
