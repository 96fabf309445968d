import type { OutputRef } from '../../../domain/chain.ts';

/** A nonce as an output that transactions spend: the first one mined invalidates the others. */
export function nonceRef({ from, nonce }: { readonly from: string; readonly nonce: number }): OutputRef {
  return { txid: `nonce:${from.toLowerCase()}`, index: nonce };
}
