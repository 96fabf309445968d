import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import type { Fiat } from '../../domain/fiat.ts';
import { NO_STORED_LIMITS, type StoredLimits } from '../../domain/send/limit-change.ts';
import { NO_SPENDING_LIMITS, type SpendingLimits } from '../../domain/send/spending-limits.ts';
import { recordRevocation } from '../revocations.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/** The limits of shops and keys, as stored. Amounts are minor units. */

const fiat = z.object({ minor: z.string().transform(BigInt), currency: z.string() });
const destination = z.object({
  coin: z.enum(COINS),
  destination: z.string(),
  watchKey: z.string(),
  label: z.string(),
});
const waiting = <T extends z.ZodType>(value: T) => z.object({ value, at: z.number() });
const spending = z.object({ perSend: fiat.nullable(), perDay: fiat.nullable() });
const stored = z.object({
  limits: spending.extend({ allowList: z.array(destination).nullable(), approvers: z.array(z.string()) }),
  raises: z.object({
    perSend: waiting(fiat.nullable()).nullable(),
    perDay: waiting(fiat.nullable()).nullable(),
    added: z.array(waiting(destination)),
    listLiftedAt: z.number().nullable(),
    approvers: waiting(z.array(z.string())).nullable(),
  }),
});

function toJson(value: Omit<StoredLimits, 'confirmedAt'> | SpendingLimits): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString() : part));
}

/** The limits of a shop with their raises, whose time may have come: see limitsAt. */
export async function findLimits(db: Db, merchantId: string): Promise<StoredLimits> {
  const row = await db
    .selectFrom('wallet_limits')
    .select(['limitsJson', 'confirmedAt'])
    .where('merchantId', '=', merchantId)
    .executeTakeFirst();
  if (row === undefined) return NO_STORED_LIMITS;
  return { ...stored.parse(JSON.parse(row.limitsJson)), confirmedAt: row.confirmedAt };
}

/** Stores the limits of a shop. The list of revocations has the change, so that an older copy learns of it. */
export async function putLimits(
  tx: Tx,
  change: { readonly merchantId: string; readonly limits: StoredLimits; readonly now: number },
): Promise<void> {
  const { merchantId, now } = change;
  const { confirmedAt, ...limits } = change.limits;
  const row = { limitsJson: toJson(limits), confirmedAt, updatedAt: now };
  await tx
    .insertInto('wallet_limits')
    .values({ merchantId, ...row })
    .onConflict((conflict) => conflict.column('merchantId').doUpdateSet(row))
    .execute();
  const id = randomBytes(8).toString('hex');
  await recordRevocation(tx, { id, kind: 'wallet-limits', subject: merchantId, at: now });
}

/** The limits of every shop are those of an older copy, until their owner confirms them. */
export async function markLimitsUnconfirmed(tx: Tx): Promise<void> {
  await tx.updateTable('wallet_limits').set({ confirmedAt: null }).execute();
}

/**
 * The same for a shop whose limits were changed after the copy was made; also for one that the copy has no limits of.
 * False where the copy lacks the shop.
 */
export async function markShopLimitsUnconfirmed(tx: Tx, merchantId: string, now: number): Promise<boolean> {
  const shop = await tx.selectFrom('merchants').select('id').where('id', '=', merchantId).executeTakeFirst();
  if (shop === undefined) return false;
  const { confirmedAt: _, ...none } = NO_STORED_LIMITS;
  await tx
    .insertInto('wallet_limits')
    .values({ merchantId, limitsJson: toJson(none), confirmedAt: null, updatedAt: now })
    .onConflict((conflict) => conflict.column('merchantId').doUpdateSet({ confirmedAt: null }))
    .execute();
  return true;
}

/** The limits of a restricted key; none where the key was deleted. */
export async function findKeyLimits(db: Db, keyId: string): Promise<SpendingLimits> {
  const row = await db
    .selectFrom('restricted_keys')
    .select('limitsJson')
    .where('id', '=', keyId)
    .executeTakeFirst();
  return row === undefined ? NO_SPENDING_LIMITS : parseKeyLimits(row.limitsJson);
}

/** As its row has them. */
export function parseKeyLimits(limitsJson: string | null): SpendingLimits {
  return limitsJson === null ? NO_SPENDING_LIMITS : spending.parse(JSON.parse(limitsJson));
}

/** As a row has them; null: none. */
export function keyLimitsToJson({ perSend, perDay }: SpendingLimits): string | null {
  return perSend === null && perDay === null ? null : toJson({ perSend, perDay });
}

const values = z.record(z.string(), z.string().transform(BigInt));

/** Values by currency, as a send has them. */
export function parseValues(valuesJson: string | null): Readonly<Record<string, bigint>> {
  return valuesJson === null ? {} : values.parse(JSON.parse(valuesJson));
}

export function valuesToJson(amounts: readonly Fiat[]): string | null {
  if (amounts.length === 0) return null;
  return JSON.stringify(
    Object.fromEntries(amounts.map(({ minor, currency }) => [currency, minor.toString()])),
  );
}
