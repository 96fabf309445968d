import { z } from 'zod';
import {
  ChainError,
  outputKey,
  type BlockRef,
  type UnspentOutput,
  type UnspentQuery,
  type UnspentScan,
} from '../../domain/chain.ts';
import { AMOUNT } from './rpc/amount.ts';
import { COINBASE_MATURITY } from './blocks/match.ts';
import { RpcRefusal } from '../shared/json-rpc.ts';
import { type Rpc } from './rpc/rpc.ts';

const HASH = z.string().regex(/^[0-9a-f]{64}$/);
const SCAN = z.object({
  success: z.boolean(),
  height: z.number().int().nonnegative(),
  bestblock: HASH,
  unspents: z.array(
    z.object({
      txid: HASH,
      vout: z.number().int().nonnegative(),
      amount: AMOUNT,
      height: z.number().int().nonnegative(),
      scriptPubKey: z.string().regex(/^[0-9a-f]*$/),
      coinbase: z.boolean().default(false),
    }),
  ),
});
const UNSPENT = z.object({ bestblock: HASH, value: AMOUNT }).nullable();
const TIP = z.object({ blocks: z.number().int().nonnegative(), bestblockhash: HASH });

const HEADER = z.object({ time: z.number().int().nonnegative() });

const RPC_INVALID_PARAMETER = -8;
const RPC_METHOD_NOT_FOUND = -32601;
const LOOKUP_BATCH = 200;

/** Scripts per scan: a node takes requests of 32 MiB, and a script is some 50 bytes of one. */
const SCAN_SCRIPTS = 500_000;
/** Number of attempts to complete a set of scans without a new block in between. */
const ATTEMPTS = 4;

/**
 * Scans the node's UTXO set for our scripts (scantxoutset), in several scans where there are many. On a node
 * without that call, each known output is looked up; outputs missing in the ledger then stay unknown.
 * @param batch scripts per scan
 * @throws {ChainError} `unavailable` while another scan runs on the node, which allows one at a time.
 */
export async function scanUnspent(rpc: Rpc, query: UnspentQuery, batch = SCAN_SCRIPTS): Promise<UnspentScan> {
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const scan = await scanAll(rpc, query, batch);
      if (scan !== null) return scan;
    }
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (error.code === RPC_INVALID_PARAMETER && error.reason.includes('in progress')) {
      throw new ChainError('unavailable', 'scantxoutset: the node is busy with another scan');
    }
    if (error.code !== RPC_METHOD_NOT_FOUND) throw new ChainError('bad_answer', error.message);
    return lookUpEach(rpc, query);
  }
  throw new ChainError('unavailable', 'scantxoutset: new blocks arrived between all scans');
}

/** Null when a block arrived between two scans: their results belong to different tips. */
async function scanAll(
  rpc: Rpc,
  { watchKeys, within }: UnspentQuery,
  batch: number,
): Promise<UnspentScan | null> {
  const outputs: UnspentScan['outputs'][number][] = [];
  let tip: BlockRef | null = null;
  for (let at = 0; at < watchKeys.length || tip === null; at += batch) {
    const scripts = watchKeys.slice(at, at + batch).map((script) => `raw(${script})`);
    const found = await rpc.call('scantxoutset', ['start', scripts], SCAN);
    if (!found.success) throw new ChainError('unavailable', 'scantxoutset: the scan was aborted');
    if (tip !== null && tip.hash !== found.bestblock) return null;
    tip = { height: found.height, hash: found.bestblock };
    for (const unspent of found.unspents) {
      const { txid, vout, amount, height } = unspent;
      const isWithin = within !== undefined && height >= within.from && height <= within.to;
      const block = isWithin ? { block: await readBlock(rpc, unspent) } : {};
      outputs.push({ ref: { txid, index: vout }, amount, height, watchKey: unspent.scriptPubKey, ...block });
    }
  }
  return tip === null ? null : { tip, outputs, isComplete: true };
}

/** Works for pruned blocks as well: the node keeps every header. */
async function readBlock(
  rpc: Rpc,
  unspent: z.output<typeof SCAN>['unspents'][number],
): Promise<NonNullable<UnspentOutput['block']>> {
  const hash = await rpc.call('getblockhash', [unspent.height], HASH);
  const { time } = await rpc.call('getblockheader', [hash, true], HEADER);
  const maturity = unspent.coinbase ? COINBASE_MATURITY : 1;
  return { hash, timeMs: time * 1_000, maturity };
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
        throw new ChainError('unavailable', 'a new block arrived meanwhile');
      outputs.push({ ref, amount: answer.value });
    }
  }
  return { tip: { height: tip.blocks, hash: tip.bestblockhash }, outputs, isComplete: false };
}
