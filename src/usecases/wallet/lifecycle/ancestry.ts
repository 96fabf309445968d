import {
  outputKey,
  type FeeAncestor,
  type Ancestry,
  type Fund,
  type OutputRef,
} from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { MAX_ANCESTORS, MAX_ANCESTORS_SIZE, virtualSize } from '../../../domain/send/package-fee.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { outputsOfTransactions } from '../../../store/ledger/outputs.ts';
import { unconfirmedChange } from '../../../store/ledger/own-change.ts';
import { findVersionByTxid } from '../../../store/sends/send-versions.ts';
import { readPlan } from './stored-plan.ts';

/** Unconfirmed change of own sends, as far as it can be spent now. */
export interface SpendableChange {
  readonly funds: readonly Fund[];
  /** The unconfirmed ancestors of each fund. */
  readonly ancestry: Ancestry;
}

/**
 * Unconfirmed change of own sends, largest first, as much as a transaction can spend within the limits on chains of
 * unconfirmed transactions that nodes relay.
 */
export async function spendableChange(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
): Promise<SpendableChange> {
  const funds: Fund[] = [];
  const ancestry = new Map<string, readonly FeeAncestor[]>();
  const together = new Map<string, FeeAncestor>();
  for (const fund of await unconfirmedChange(db, wallet)) {
    const ancestors = await ancestorsOfRefs(db, wallet, [fund.ref]);
    if (ancestors === null) continue;
    const joined = new Map([...together, ...ancestors.map((each) => [each.txid, each] as const)]);
    const size = [...joined.values()].reduce((sum, each) => sum + each.size, 0n);
    if (joined.size > MAX_ANCESTORS || size > MAX_ANCESTORS_SIZE) continue;
    for (const [txid, each] of joined) together.set(txid, each);
    funds.push(fund);
    ancestry.set(outputKey(fund.ref), ancestors);
  }
  return { funds, ancestry };
}

/** The unconfirmed ancestors of each input of a plan; confirmed inputs have none. */
export async function loadAncestry(db: Db, chain: ChainId, inputs: readonly Fund[]): Promise<Ancestry> {
  const ancestry = new Map<string, readonly FeeAncestor[]>();
  for (const { ref } of await unconfirmedAmong(
    db,
    chain,
    inputs.map(({ ref }) => ref),
  )) {
    ancestry.set(outputKey(ref), (await ancestorsOfRefs(db, chain, [ref])) ?? []);
  }
  return ancestry;
}

/** Null when one is not our own transaction: its fee and its conflicts are then unknown. */
export async function ancestorsOfRefs(
  db: Db,
  chain: ChainId,
  refs: readonly OutputRef[],
): Promise<FeeAncestor[] | null> {
  const ancestors = new Map<string, FeeAncestor>();
  let next = [...new Set(refs.map(({ txid }) => txid))];
  while (next.length > 0 && ancestors.size <= MAX_ANCESTORS) {
    const parents: string[] = [];
    for (const txid of next) {
      if (ancestors.has(txid)) continue;
      const version = await findVersionByTxid(db, chain, txid);
      if (version === undefined) return null;
      const fee = BigInt(version.fee);
      ancestors.set(txid, { txid, fee, size: virtualSize(fee, BigInt(version.feeRate)) });
      const inputs = readPlan(version.planJson).inputs.map(({ ref }) => ref);
      parents.push(...(await unconfirmedAmong(db, chain, inputs)).map(({ ref }) => ref.txid));
    }
    next = [...new Set(parents)];
  }
  return [...ancestors.values()];
}

async function unconfirmedAmong(
  db: Db,
  chain: ChainId,
  refs: readonly OutputRef[],
): Promise<{ ref: OutputRef }[]> {
  const outputs = await outputsOfTransactions(db, chain, [...new Set(refs.map(({ txid }) => txid))]);
  const open = new Set(
    outputs
      .filter(({ state }) => state !== 'confirmed')
      .map(({ txid, vout }) => outputKey({ txid, index: vout })),
  );
  return refs.filter((ref) => open.has(outputKey(ref))).map((ref) => ({ ref }));
}
