import { outputKey } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import { findFeeLevel } from '../../store/ledger/fee-levels.ts';
import type { WalletOutputRow } from '../../store/ledger/wallet-outputs.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { spendableChange } from './lifecycle/ancestry.ts';

/** Why sends cannot use an output now. */
export const OUTPUT_HOLDS = [
  'frozen',
  'reserved',
  'spending',
  'unconfirmed',
  'immature',
  'watched',
  'dust',
] as const;
export type OutputHold = (typeof OUTPUT_HOLDS)[number];

/** What decides besides the output itself. */
interface HoldFacts {
  readonly tip: number;
  /** Unconfirmed change that may be spent. */
  readonly change: ReadonlySet<string>;
  readonly inputCost: bigint;
}

export async function readHoldFacts(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
): Promise<HoldFacts> {
  const change = await spendableChange(db, wallet);
  return {
    tip: (await findCursor(db, wallet))?.height ?? 0,
    change: new Set(change.funds.map(({ ref }) => outputKey(ref))),
    inputCost: (await findFeeLevel(db, wallet))?.inputCost ?? 0n,
  };
}

/** Null: a send may use it now. */
export function findHold(row: WalletOutputRow, known: HoldFacts): OutputHold | null {
  if (row.frozen !== null) return 'frozen';
  if (row.sendId !== null) return 'reserved';
  if (row.spentBy !== null) return 'spending';
  const isChange = known.change.has(outputKey({ txid: row.txid, index: row.vout }));
  if (row.state !== 'confirmed' && !isChange) return 'unconfirmed';
  if (row.state === 'confirmed' && countConfirmations(row, known.tip) < row.maturity) return 'immature';
  if (row.watchOnly) return 'watched';
  return BigInt(row.amount) <= known.inputCost ? 'dust' : null;
}

export function countConfirmations({ height }: WalletOutputRow, tip: number): number {
  return height === null ? 0 : Math.max(1, tip - height + 1);
}
