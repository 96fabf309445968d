import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import type { RpcCall } from '../rpc/rpc.ts';

export interface SignatureStatus {
  readonly slot: number;
  readonly failed: boolean;
  readonly finalized: boolean;
}

const slot = z.int().min(0);
const STATUS = z
  .object({ slot, err: z.unknown().optional(), confirmationStatus: z.string().nullish() })
  .nullable();
const STATUSES = z.object({ context: z.object({ slot }), value: z.tuple([STATUS]) });
export type Statuses = z.output<typeof STATUSES>;

/** The status of a signature, searched in the full history. */
export function aboutSignature(signature: string): RpcCall<Statuses> {
  const params = [[signature], { searchTransactionHistory: true }];
  return { method: 'getSignatureStatuses', params, schema: STATUSES };
}

/** @throws {ChainError} when a node that has not seen the slot reports it as unknown. */
export function readStatus(
  { context, value: [found] }: Statuses,
  minContextSlot: number,
): SignatureStatus | null {
  if (found === null) {
    requireSlot('getSignatureStatuses', context, minContextSlot);
    return null;
  }
  return {
    slot: found.slot,
    failed: (found.err ?? null) !== null,
    finalized: found.confirmationStatus === 'finalized',
  };
}

/** Rejects an answer of a lagging backend. @throws {ChainError} */
export function requireSlot(method: string, context: { readonly slot: number }, least: number): void {
  if (context.slot >= least) return;
  throw new ChainError('unavailable', `${method}: the node is at slot ${context.slot}, behind ${least}`);
}
