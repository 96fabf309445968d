import type { OutputRef } from '../../../domain/chain.ts';

/** A nonce as something that transactions spend: whichever is mined first undoes the others. */
export function nonceRef({ from, nonce }: { readonly from: string; readonly nonce: number }): OutputRef {
  return { txid: `nonce:${from.toLowerCase()}`, index: nonce };
}
