import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

/** The last fee rate reported by a node, atoms per 1,000 units of size. */
export interface FeeLevel {
  readonly rate: bigint;
  /** Cost of spending one output at this rate, atoms; 0 on account chains. */
  readonly inputCost: bigint;
  readonly at: number;
}

/** Stores a node's last fee rate, so that balances are available while it is offline. */
export async function recordFeeLevel(db: Db, chain: ChainId, level: FeeLevel): Promise<void> {
  const values = { rate: level.rate.toString(), inputCost: level.inputCost.toString(), at: level.at };
  await db
    .insertInto('fee_levels')
    .values({ coin: chain.coin, mode: chain.mode, ...values })
    .onConflict((conflict) => conflict.columns(['coin', 'mode']).doUpdateSet(values))
    .execute();
}

/** Undefined until a node has reported one. */
export async function findFeeLevel(db: Db, { coin, mode }: ChainId): Promise<FeeLevel | undefined> {
  const row = await db
    .selectFrom('fee_levels')
    .selectAll()
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .executeTakeFirst();
  return row && { rate: BigInt(row.rate), inputCost: BigInt(row.inputCost), at: row.at };
}
