import { z } from 'zod';
import { parsed, RpcRefusal, type RpcAnswer, type RpcRequest } from '../../shared/json-rpc.ts';
import { count, HEADER, quantity } from '../rpc/node-answers.ts';
import type { GasPrices } from '../rpc/node-client.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { unwrapResult } from '../rpc/rpc-results.ts';

const TIP = HEADER.extend({ baseFeePerGas: quantity.nullish() });
const PRIORITY: RpcRequest = { method: 'eth_maxPriorityFeePerGas', params: [] };
const GAS_PRICE: RpcRequest = { method: 'eth_gasPrice', params: [] };
/** The priority fee that half of the gas of each of the last five blocks paid at least. */
const HISTORY: RpcRequest = { method: 'eth_feeHistory', params: ['0x5', 'latest', [50]] };
const REWARDS = z.object({ reward: z.array(z.tuple([quantity])).min(1) });

/**
 * Reads what a transaction costs now and the sender's next nonce. The node need not suggest prices, because
 * the last blocks and the base fee also determine them.
 */
export async function readGasPrices(rpc: Rpc, from: string | null): Promise<GasPrices> {
  const [chainId, latest, priority, gasPrice, nonce] = await rpc.batch([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    PRIORITY,
    GAS_PRICE,
    ...(from === null ? [] : [{ method: 'eth_getTransactionCount', params: [from, 'pending'] }]),
  ]);
  const tip = parsed(unwrapResult(latest), 'eth_getBlockByNumber', TIP);
  const problems = new Map<string, string | null>();
  const suggested = priceIn(priority, PRIORITY, problems);
  return {
    chainId: parsed(unwrapResult(chainId), 'eth_chainId', count),
    tip: { ...tip, baseFee: tip.baseFeePerGas ?? null },
    gasPrice: priceIn(gasPrice, GAS_PRICE, problems),
    maxPriorityFeePerGas: suggested ?? (await recentPriority(rpc, problems)),
    nonce: from === null ? 0 : parsed(unwrapResult(nonce), 'eth_getTransactionCount', count),
    problems,
  };
}

/** The median priority fee of recent blocks; null when the node does not return it. */
async function recentPriority(rpc: Rpc, problems: Map<string, string | null>): Promise<bigint | null> {
  const [answer] = await rpc.batch([HISTORY]);
  const rewards = usable(answer, REWARDS);
  problems.set(HISTORY.method, typeof rewards === 'string' ? rewards : null);
  if (typeof rewards === 'string') return null;
  const sorted = rewards.reward.map(([fee]) => fee).toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1));
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

function priceIn(
  answer: RpcAnswer | undefined,
  { method }: RpcRequest,
  problems: Map<string, string | null>,
): bigint | null {
  const price = usable(answer, quantity);
  problems.set(method, typeof price === 'string' ? price : null);
  return typeof price === 'string' ? null : price;
}

/** The result, or the reason for its absence. */
function usable<T extends object | bigint>(answer: RpcAnswer | undefined, schema: z.ZodType<T>): T | string {
  if (answer === undefined) return 'no answer';
  if (answer instanceof RpcRefusal) return answer.message;
  const { success, data } = schema.safeParse(answer.result);
  return success ? data : `unusable answer ${JSON.stringify(answer.result ?? null).slice(0, 80)}`;
}
