import { outputKey, type Credit } from '../../domain/chain.ts';
import { isUtxoCoin, type ChainId } from '../../domain/coins.ts';
import type { PaymentFact } from '../../domain/payment/types.ts';
import { rememberedBlocks } from '../../store/chain/chain-cursors.ts';
import { fromStoredIndex } from '../../store/ledger/address-index.ts';
import { findAddressTip } from '../../store/ledger/address-tips.ts';
import { findWatched, type StoredAddress } from '../../store/ledger/addresses.ts';
import { listedChainTime } from '../../store/ledger/watch-lists.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import {
  findOutput,
  upsertOutput,
  type ObservedOutput,
  type StoredOutput,
} from '../../store/ledger/outputs.ts';
import { preparingChangeHolder, wholeOfPart } from '../../store/sends/send-versions.ts';
import { storeRawTransaction } from '../../store/ledger/raw-transactions.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';

/** How far times of blocks may be behind the clock of this machine. */
const CLOCKS_APART_MS = 3 * 3_600_000;
/** How long before an order a block may have been made that a reorg replaces after it. */
const REPLACED_WITHIN_MS = 60_000;
/** Blocks that a reorg of a UTXO chain replaces at most: the maturity of a coinbase relies on it, too. */
const DEEPEST_REORG = 100;

/** Where a credit was seen: in a block of the best chain, or unconfirmed. */
export type Observation =
  | {
      readonly kind: 'block';
      readonly height: number;
      readonly hash: string;
      /** Height of the tip, when it is not this block. */
      readonly tip?: number;
    }
  | { readonly kind: 'unconfirmed' };

export interface SeenCredit {
  readonly credit: Credit;
  /** Time of the first sighting, ms, as known to this observation. */
  readonly seenAt: number;
  /** For a block with an exact time: that time, ms, as the upper bound of the arrival. */
  readonly cameBefore?: number;
  /** Time of its block, ms. */
  readonly minedAt?: number;
}

/**
 * Records a set of observations in the ledger: incoming money, and outputs that can no longer confirm. Each
 * payment gets all of them at once, through its state machine; the merchant's own addresses (wallet, change)
 * are written directly. Idempotent. A block comes with its tip, before the cursor moves to it.
 * @returns the updated payments
 */
export async function recordObservations(
  tx: Tx,
  deps: ApplyFactsDeps,
  chain: ChainId,
  { seen, gone }: { readonly seen: readonly SeenCredit[]; readonly gone: readonly StoredOutput[] },
  sighting: Observation,
): Promise<ReadonlySet<string>> {
  const keys = [...new Set(seen.map(({ credit }) => credit.watchKey))];
  const addresses = new Map((await findWatched(tx, chain, keys)).map((row) => [row.watchKey, row]));
  const now = deps.clock.now();
  const facts = new Map<string, PaymentFact[]>();
  const raws = new Map<string, string>();
  const addFact = (paymentId: string, fact: PaymentFact): void => {
    const known = facts.get(paymentId);
    if (known === undefined) facts.set(paymentId, [fact]);
    else known.push(fact);
  };
  for (const each of seen) {
    const address = addresses.get(each.credit.watchKey);
    if (address === undefined) continue;
    // The remainder of our own spend is not a payer's money, whatever the purpose of the address.
    const { paymentId } = address;
    const isOwn =
      each.credit.remainder === true || (await cameBeforeOrder(tx, chain, address, each, sighting));
    if (paymentId === null || isOwn) await recordOwn(tx, chain, address, each, sighting, now);
    else addFact(paymentId, sightingFact(chain, each, sighting));
    const { ref, raw } = each.credit;
    if (raw !== null) raws.set(ref.txid, raw);
  }
  for (const [txid, raw] of raws) await storeRawTransaction(tx, chain, { txid, raw }, now);
  for (const output of gone) {
    const ref = { txid: output.txid, index: output.vout };
    if (output.paymentId !== null) addFact(output.paymentId, { type: 'output_gone', ref });
    else await upsertOutput(tx, { ...output, state: 'gone', height: null, blockHash: null, updatedAt: now });
  }
  for (const [paymentId, paymentFacts] of facts)
    await applyTogether(tx, deps, chain, { paymentId, paymentFacts, sighting });
  return new Set(facts.keys());
}

/**
 * Whether money was on an address of another wallet before an order got it: the wallet may have used the address, and
 * histories and rescans show what it received then. Addresses of the till itself are new. Money that is in the ledger
 * stays with the order, or with the wallet, that it was recorded for.
 */
async function cameBeforeOrder(
  tx: Tx,
  chain: ChainId,
  address: StoredAddress,
  { credit, minedAt }: SeenCredit,
  sighting: Observation,
): Promise<boolean> {
  const { number } = fromStoredIndex(address.idx);
  if (number === null) return false;
  const known = await findOutput(tx, chain, credit.ref);
  if (known !== undefined) return known.paymentId === null;
  if (sighting.kind === 'unconfirmed') return false;
  return isUtxoCoin(chain.coin)
    ? minedBeforeOrder(tx, chain, address, recordedHeight(credit, sighting))
    : minedAt !== undefined && datedBeforeOrder(tx, address, minedAt);
}

/**
 * By heights, because clocks may be hours ahead of the chain: a block at or below the tip that the ledger had at the
 * order is older where that tip is still part of the chain, and otherwise where no reorg reaches it.
 */
async function minedBeforeOrder(
  tx: Tx,
  chain: ChainId,
  { id }: StoredAddress,
  height: number,
): Promise<boolean> {
  const tip = await findAddressTip(tx, id);
  if (tip === undefined || height > tip.height) return false;
  if (height <= tip.height - DEEPEST_REORG) return true;
  const [known] = await rememberedBlocks(tx, chain, tip.height, 1);
  return known?.height === tip.height && known.hash === tip.hash;
}

/** Account chains have blocks every few seconds, with times that agree with the clock. */
async function datedBeforeOrder(
  tx: Tx,
  { idx, createdAt }: StoredAddress,
  minedAt: number,
): Promise<boolean> {
  const { number, index } = fromStoredIndex(idx);
  const chainTime = number === null ? null : await listedChainTime(tx, number, index);
  return minedAt < Math.max(createdAt - CLOCKS_APART_MS, (chainTime ?? 0) - REPLACED_WITHIN_MS);
}

async function applyTogether(
  tx: Tx,
  deps: ApplyFactsDeps,
  chain: ChainId,
  about: {
    readonly paymentId: string;
    readonly paymentFacts: readonly PaymentFact[];
    readonly sighting: Observation;
  },
): Promise<void> {
  const { paymentId, paymentFacts, sighting } = about;
  if (sighting.kind === 'unconfirmed') {
    await applyFacts(tx, deps, paymentId, paymentFacts);
    return;
  }
  const { height, hash } = sighting;
  const tip: PaymentFact = { type: 'tip', coin: chain.coin, height: sighting.tip ?? height };
  await applyFacts(tx, deps, paymentId, [...paymentFacts, tip], hash);
}

function sightingFact(
  chain: ChainId,
  { credit, seenAt, cameBefore }: SeenCredit,
  sighting: Observation,
): PaymentFact {
  const { ref, amount, maturity } = credit;
  const seen = { coin: chain.coin, ref, amount, maturity, seenAt, currentDue: null };
  if (sighting.kind === 'unconfirmed') return { type: 'output_seen', ...seen };
  const fact = { type: 'output_confirmed', ...seen, height: recordedHeight(credit, sighting) } as const;
  return cameBefore === undefined ? fact : { ...fact, cameBefore };
}

function recordedHeight({ heldBy }: Credit, shown: Extract<Observation, { kind: 'block' }>): number {
  return heldBy?.height ?? shown.height;
}

/** The rule for payments applies: only a reorg reverts a confirmation. */
async function recordOwn(
  tx: Tx,
  chain: ChainId,
  address: StoredAddress,
  { credit, seenAt }: SeenCredit,
  sighting: Observation,
  now: number,
): Promise<void> {
  const known = await findOutput(tx, chain, credit.ref);
  if (sighting.kind === 'unconfirmed' && known?.state === 'confirmed') return;
  const height = sighting.kind === 'block' ? recordedHeight(credit, sighting) : null;
  const state = sighting.kind === 'block' ? 'confirmed' : 'unconfirmed';
  const amount = credit.amount.toString();
  // Recorded again after a reorg, a remainder may differ with the fees.
  if (known !== undefined && known.amount !== amount && credit.remainder !== true) {
    throw new Error(`output ${outputKey(credit.ref)} changed its amount`);
  }
  if (known !== undefined && known.state === state && known.height === height) return;
  const row: ObservedOutput = {
    coin: chain.coin,
    mode: chain.mode,
    txid: credit.ref.txid,
    vout: credit.ref.index,
    addressId: address.id,
    merchantId: address.merchantId,
    paymentId: null,
    amount,
    state,
    height,
    blockHash: sighting.kind === 'block' ? sighting.hash : null,
    maturity: credit.maturity,
    firstSeenAt: known?.firstSeenAt ?? seenAt,
    late: false,
    lateDue: null,
    spentBy: null,
    spentHeight: null,
    sendId: known === undefined ? await reservedBy(tx, chain, address, credit) : known.sendId,
    updatedAt: now,
  };
  await upsertOutput(tx, row);
}

/**
 * The preparing send that a new output of ours is for: one of its parts created it, or it replaces reserved
 * change.
 */
async function reservedBy(
  tx: Tx,
  chain: ChainId,
  { purpose }: StoredAddress,
  { ref }: Credit,
): Promise<string | null> {
  const wholeId = await wholeOfPart(tx, chain, ref.txid);
  return wholeId ?? (purpose === 'change' ? preparingChangeHolder(tx, chain, ref.txid) : null);
}
