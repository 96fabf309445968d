import { z } from 'zod';
import { ChainError, outputKey, type UnspentQuery, type UnspentScan } from '../../domain/chain.ts';
import { AMOUNT } from './amount.ts';
import { type Rpc, RpcRefusal } from './rpc.ts';

const HASH = z.string().regex(/^[0-9a-f]{64}$/);
const SCAN = z.object({
  success: z.boolean(),
  height: z.number().int().nonnegative(),
  bestblock: HASH,
  unspents: z.array(z.object({ txid: HASH, vout: z.number().int().nonnegative(), amount: AMOUNT })),
});
const UNSPENT = z.object({ bestblock: HASH, value: AMOUNT }).nullable();
const TIP = z.object({ blocks: z.number().int().nonnegative(), bestblockhash: HASH });

const RPC_INVALID_PARAMETER = -8;
const RPC_METHOD_NOT_FOUND = -32601;
const LOOKUP_BATCH = 200;

/**
 * What the node's own set of unspent outputs says about our scripts (scantxoutset). A node without that
 * call is asked about each output we know; what we do not know of then stays unknown.
 * @throws {ChainError} `unavailable` while another scan runs on the node: it does one at a time.
 */
export async function scanUnspent(rpc: Rpc, query: UnspentQuery): Promise<UnspentScan> {
  const scripts = query.watchKeys.map((script) => `raw(${script})`);
  try {
    const found = await rpc.call('scantxoutset', ['start', scripts], SCAN);
    if (!found.success) throw new ChainError('unavailable', 'scantxoutset: the scan was aborted');
    return {
      tip: { height: found.height, hash: found.bestblock },
      outputs: found.unspents.map(({ txid, vout, amount }) => ({ ref: { txid, index: vout }, amount })),
      isComplete: true,
    };
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (error.code === RPC_INVALID_PARAMETER && error.reason.includes('in progress')) {
      throw new ChainError('unavailable', 'scantxoutset: the node is busy with another scan');
    }
    if (error.code !== RPC_METHOD_NOT_FOUND) throw new ChainError('bad_answer', error.message);
    return lookUpEach(rpc, query);
  }
}

async function lookUpEach(rpc: Rpc, { known }: UnspentQuery): Promise<UnspentScan> {
  const tip = await rpc.call('getblockchaininfo', [], TIP);
  const outputs: UnspentScan['outputs'][number][] = [];
  for (let at = 0; at < known.length; at += LOOKUP_BATCH) {
    const refs = known.slice(at, at + LOOKUP_BATCH);
    const requests = refs.map(({ txid, index }) => ({ method: 'gettxout', params: [txid, index, false] }));
    const answers = await rpc.batch(requests, UNSPENT);
    for (const [position, ref] of refs.entries()) {
      const answer = answers[position];
      if (answer instanceof RpcRefusal)
        throw new ChainError('bad_answer', `${outputKey(ref)}: ${answer.message}`);
      if (answer === null || answer === undefined) continue;
      if (answer.bestblock !== tip.bestblockhash)
        throw new ChainError('unavailable', 'a block came meanwhile');
      outputs.push({ ref, amount: answer.value });
    }
  }
  return { tip: { height: tip.blocks, hash: tip.bestblockhash }, outputs, isComplete: false };
}
