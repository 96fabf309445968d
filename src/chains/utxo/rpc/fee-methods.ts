import { ChainError } from '../../../domain/chain.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';
import { AMOUNT } from './amount.ts';
import { ESTIMATE, INCREMENTAL_FEE, MEMPOOL_INFO } from './node-answers.ts';
import type { Rpc } from './rpc.ts';

/** Rates in atoms per 1,000 vB; null when the node has none, with the reason unless that is normal. */
export interface FeeAnswer<T> {
  readonly rates: T | null;
  readonly problem: string | null;
}

export interface MempoolFees {
  readonly minimum: bigint;
  readonly relay: bigint;
  readonly increment: bigint;
}

/** Methods about fee rates: see NodeClient. */
export function feeMethods(rpc: Rpc) {
  return {
    estimateSmartFee: async (blocks: number): Promise<FeeAnswer<bigint | null>> =>
      feeAnswer(async () => {
        const { feerate } = await rpc.call('estimatesmartfee', [blocks, 'ECONOMICAL'], ESTIMATE);
        if (feerate === undefined || feerate === null) return null;
        const rate = AMOUNT.safeParse(feerate).data ?? 0n;
        if (rate > 0n) return rate;
        throw new ChainError(
          'bad_answer',
          `estimatesmartfee: feerate ${(JSON.stringify(feerate) ?? '').slice(0, 40)} is not a fee rate`,
        );
      }),
    mempoolFees: async (): Promise<FeeAnswer<MempoolFees>> =>
      feeAnswer(async () => {
        const info = await rpc.call('getmempoolinfo', [], MEMPOOL_INFO);
        const relay = info.minrelaytxfee ?? 0n;
        const increment = info.incrementalrelayfee ?? (await incrementalFee(rpc));
        // A node that returns neither has the usual policy, in which both are equal.
        return { minimum: info.mempoolminfee, relay, increment: increment ?? relay };
      }),
  };
}

/** Null where the node does not return it. */
async function incrementalFee(rpc: Rpc): Promise<bigint | null> {
  const { rates } = await feeAnswer(async () => rpc.call('getnetworkinfo', [], INCREMENTAL_FEE));
  return rates?.incrementalfee ?? null;
}

/**
 * After an error, or an answer without a usable rate, the other sources are used. @throws {ChainError} for an
 * outage.
 */
async function feeAnswer<T>(ask: () => Promise<T | null>): Promise<FeeAnswer<T>> {
  try {
    return { rates: await ask(), problem: null };
  } catch (error) {
    const isUnusable = error instanceof ChainError && error.kind === 'bad_answer';
    if (!isUnusable && !(error instanceof RpcRefusal)) throw error;
    return { rates: null, problem: error.message };
  }
}
