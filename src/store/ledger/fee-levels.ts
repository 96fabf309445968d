import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

/** The last fee rate that a node told, atoms per 1,000 units of size. */
export interface FeeLevel {
  readonly rate: bigint;
  /** What spending one output costs at it, atoms; 0 where money is not held in outputs. */
  readonly inputCost: bigint;
  readonly at: number;
}

/** Remembers what a node told last, so that balances answer while it is away. */
export async function noteFeeLevel(db: Db, chain: ChainId, level: FeeLevel): Promise<void> {
  const told = { rate: level.rate.toString(), input_cost: level.inputCost.toString(), at: level.at };
  await db
    .insertInto('fee_levels')
    .values({ coin: chain.coin, mode: chain.mode, ...told })
    .onConflict((conflict) => conflict.columns(['coin', 'mode']).doUpdateSet(told))
    .execute();
}

/** Undefined until a node told one. */
export async function findFeeLevel(db: Db, { coin, mode }: ChainId): Promise<FeeLevel | undefined> {
  const row = await db
    .selectFrom('fee_levels')
    .selectAll()
    .where('coin', '=', coin)
    .where('mode', '=', mode)
    .executeTakeFirst();
  return row && { rate: BigInt(row.rate), inputCost: BigInt(row.input_cost), at: row.at };
}
