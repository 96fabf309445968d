import { z } from 'zod';
import { COINS, MODES, type ChainId } from '../domain/coins.ts';
import type { Db, Tx } from './database.ts';
import { readMeta, writeMeta } from './meta.ts';

const PREFIX = 'skipped.';
const LAST_PREFIX = 'last_skip.';
const gap = z.object({ coin: z.enum(COINS), mode: z.enum(MODES), from: z.number(), to: z.number() });

/** Blocks that were skipped and whose money was not compared with the ledger since, both ends included. */
export type SkippedBlocks = z.infer<typeof gap>;

/** Notes what an operator skipped; together with what is still open it makes one range. */
export async function writeSkipped(
  tx: Tx,
  { coin, mode, from, to }: SkippedBlocks,
  now: number,
): Promise<void> {
  const open = await findSkipped(tx, { coin, mode });
  const whole = { coin, mode, from: Math.min(from, open?.from ?? from), to: Math.max(to, open?.to ?? to) };
  await writeMeta(tx, `${PREFIX}${coin}.${mode}`, JSON.stringify(whole));
  await writeMeta(tx, `${LAST_PREFIX}${coin}.${mode}`, String(now));
}

/** When blocks of a chain were last skipped, ms, also after their money was compared: the sends in them stay unknown. */
export async function lastSkipAt(db: Db, { coin, mode }: ChainId): Promise<number | null> {
  const value = await readMeta(db, `${LAST_PREFIX}${coin}.${mode}`);
  return value === null ? null : Number(value);
}

/** All skipped blocks that are not reconciled. */
export async function readSkipped(db: Db): Promise<SkippedBlocks[]> {
  const rows = await db.selectFrom('meta').select('value').where('key', 'like', `${PREFIX}%`).execute();
  return rows.map(({ value }) => gap.parse(JSON.parse(value)));
}

export async function findSkipped(db: Db, { coin, mode }: ChainId): Promise<SkippedBlocks | undefined> {
  const all = await readSkipped(db);
  return all.find((each) => each.coin === coin && each.mode === mode);
}

/** What was in the skipped blocks is in the ledger now. */
export async function forgetSkipped(tx: Tx, { coin, mode }: ChainId): Promise<void> {
  await tx.deleteFrom('meta').where('key', '=', `${PREFIX}${coin}.${mode}`).execute();
}
