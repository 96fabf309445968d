import { outputKey, type Credit } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { PaymentFact } from '../../domain/payment/types.ts';
import { findWatched, type StoredAddress } from '../../store/addresses.ts';
import type { Tx } from '../../store/database.ts';
import { findOutput, putOutput } from '../../store/outputs.ts';
import { keepRawTransaction } from '../../store/raw-transactions.ts';
import type { OutputRow } from '../../store/tables.ts';
import { applyFacts, type ApplyFactsDeps } from '../payment/apply-facts.ts';

/** Where a credit was seen: in a block of the best chain, or unconfirmed. */
export type Sighting =
  | { readonly kind: 'block'; readonly height: number; readonly hash: string }
  | { readonly kind: 'unconfirmed' };

export interface SeenCredit {
  readonly credit: Credit;
  /** When it was first seen, ms, as far as this sighting knows. */
  readonly seenAt: number;
}

/**
 * Writes observed credits into the ledger: a payment's through its machine, the merchant's own
 * (wallet and change addresses) directly. Repeats change nothing.
 */
export async function recordCredits(
  tx: Tx,
  deps: ApplyFactsDeps,
  chain: ChainId,
  seen: readonly SeenCredit[],
  sighting: Sighting,
): Promise<void> {
  const keys = [...new Set(seen.map(({ credit }) => credit.watchKey))];
  const addresses = new Map((await findWatched(tx, chain, keys)).map((row) => [row.watch_key, row]));
  const now = deps.clock.now();
  for (const { credit, seenAt } of seen) {
    const address = addresses.get(credit.watchKey);
    if (address === undefined) continue;
    if (address.payment_id === null) await recordOwn(tx, chain, address, { credit, seenAt }, sighting, now);
    else await recordForPayment(tx, deps, chain, address.payment_id, { credit, seenAt }, sighting);
    if (credit.raw !== null) {
      await keepRawTransaction(tx, chain, { txid: credit.ref.txid, raw: credit.raw }, now);
    }
  }
}

async function recordForPayment(
  tx: Tx,
  deps: ApplyFactsDeps,
  chain: ChainId,
  paymentId: string,
  { credit, seenAt }: SeenCredit,
  sighting: Sighting,
): Promise<void> {
  const { ref, amount, maturity } = credit;
  const seen = { coin: chain.coin, ref, amount, maturity, seenAt, currentDue: null };
  const fact: PaymentFact =
    sighting.kind === 'block'
      ? { type: 'output_confirmed', ...seen, height: sighting.height }
      : { type: 'output_seen', ...seen };
  await applyFacts(tx, deps, paymentId, [fact], sighting.kind === 'block' ? sighting.hash : null);
}

/** The same last-word rules as for payments: only a reorg takes a confirmation back. */
async function recordOwn(
  tx: Tx,
  chain: ChainId,
  address: StoredAddress,
  { credit, seenAt }: SeenCredit,
  sighting: Sighting,
  now: number,
): Promise<void> {
  const known = await findOutput(tx, chain, credit.ref);
  if (sighting.kind === 'unconfirmed' && known?.state === 'confirmed') return;
  const height = sighting.kind === 'block' ? sighting.height : null;
  const state = sighting.kind === 'block' ? 'confirmed' : 'unconfirmed';
  if (known !== undefined && known.state === state && known.height === height) return;
  const row: OutputRow = {
    coin: chain.coin,
    mode: chain.mode,
    txid: credit.ref.txid,
    vout: credit.ref.index,
    address_id: address.id,
    merchant_id: address.merchant_id,
    payment_id: null,
    amount: credit.amount.toString(),
    state,
    height,
    block_hash: sighting.kind === 'block' ? sighting.hash : null,
    maturity: credit.maturity,
    first_seen_at: known?.first_seen_at ?? seenAt,
    late: 0,
    late_due: null,
    spent_by: null,
    spent_height: null,
    send_id: null,
    updated_at: now,
  };
  if (known !== undefined && BigInt(known.amount) !== credit.amount) {
    throw new Error(`output ${outputKey(credit.ref)} changed its amount`);
  }
  await putOutput(tx, row);
}
