import { sql, type Selectable } from 'kysely';
import { invalidField } from '../../domain/errors.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { requireWithin } from '../../domain/send/fee-budget.ts';
import type { SendRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';

type StoredSend = Selectable<SendRow>;
type Budgeted = Pick<StoredSend, 'id' | 'coin' | 'fee' | 'max_fee'>;

/**
 * What a send that draws on this one's budget may cost at most: the budget less what this one pays now, and less what
 * others draw on it. Negative never; atoms.
 */
export async function budgetLeft(db: Db, { id, fee, max_fee: budget }: Budgeted): Promise<bigint> {
  const others = await drawingOn(db, id);
  const drawn = others.reduce(
    (sum, other) => sum + BigInt(other.status === 'confirmed' ? other.fee : other.max_fee),
    0n,
  );
  const left = BigInt(budget) - BigInt(fee) - drawn;
  return left > 0n ? left : 0n;
}

/**
 * What a part of this send may cost at most: its budget less what is planned after the part (`fee`), and less what the
 * other parts cost or, until blocks hold them, may cost. Negative never; atoms.
 */
export async function budgetLeftForPart(db: Db, { id, fee, max_fee: budget }: Budgeted): Promise<bigint> {
  const parts = await db
    .selectFrom('sends')
    .select(['status', 'fee', 'max_fee'])
    .where('part_of', '=', id)
    .where('status', '<>', sql.lit('failed'))
    .execute();
  const committed = parts.reduce(
    (sum, part) => sum + BigInt(part.status === 'confirmed' ? part.fee : part.max_fee),
    0n,
  );
  const left = BigInt(budget) - BigInt(fee) - committed;
  return left > 0n ? left : 0n;
}

/** @throws {AppError} FEE_ABOVE_LIMIT when the budget of the send that it gathers outputs for does not cover a part. */
export async function requirePartWithin(
  tx: Tx,
  { part_of: wholeId = null, max_fee: budget, coin }: PartBudget,
): Promise<void> {
  if (wholeId === null) return;
  const whole = await tx.selectFrom('sends').selectAll().where('id', '=', wholeId).executeTakeFirstOrThrow();
  requireWithin(await budgetLeftForPart(tx, whole), BigInt(budget), coin);
}

type PartBudget = Pick<StoredSend, 'max_fee' | 'coin'> & Partial<Pick<StoredSend, 'part_of'>>;

/** Leaves a send that is signed now what its parts have not spent of its budget. */
export async function keepRestOfBudget(
  tx: Tx,
  send: Pick<StoredSend, 'id' | 'max_fee' | 'parts_fee'>,
): Promise<void> {
  const rest = BigInt(send.max_fee) - BigInt(send.parts_fee);
  await tx
    .updateTable('sends')
    .set({ max_fee: (rest > 0n ? rest : 0n).toString(), fee_limited_at: null })
    .where('id', '=', send.id)
    .execute();
}

/** @throws {AppError} FEE_ABOVE_LIMIT when a send would draw more on another one's budget than is left of it. */
export async function requireDrawable(
  tx: Tx,
  { draws_on: payerId, max_fee: budget, coin }: Pick<StoredSend, 'draws_on' | 'max_fee' | 'coin'>,
): Promise<void> {
  if (payerId === null) return;
  const payer = await tx.selectFrom('sends').selectAll().where('id', '=', payerId).executeTakeFirstOrThrow();
  requireWithin(await budgetLeft(tx, payer), BigInt(budget), coin);
}

/** @throws {AppError} FEE_ABOVE_LIMIT when a version would cost more than the budget of its send. */
export async function requireWithinBudget(
  tx: Tx,
  {
    send_id: sendId,
    fee,
    coin,
  }: { readonly send_id: string; readonly fee: string; readonly coin: StoredSend['coin'] },
): Promise<void> {
  const send = await tx
    .selectFrom('sends')
    .select('max_fee')
    .where('id', '=', sendId)
    .executeTakeFirstOrThrow();
  requireWithin(BigInt(send.max_fee), BigInt(fee), coin);
}

/**
 * Changes the budget of a send by order of the merchant, and that of the newest open one that draws on it by as much.
 * @throws {AppError} VALIDATION_INVALID naming `maxFee` when less would be left than is signed already.
 */
export async function changeBudget(tx: Tx, send: Budgeted, budget: bigint, now: number): Promise<void> {
  const by = budget - BigInt(send.max_fee);
  let next: Budgeted | undefined = send;
  while (next !== undefined) {
    const changed: bigint = BigInt(next.max_fee) + by;
    const signed = await highestFee(tx, next.id);
    if (changed < signed) throw belowSigned(signed, next);
    await tx
      .updateTable('sends')
      // Whether a raise still waits is seen at the next review.
      .set({ max_fee: changed.toString(), fee_limited_at: null, updated_at: now })
      .where('id', '=', next.id)
      .execute();
    next = (await drawingOn(tx, next.id)).filter(({ status }) => status !== 'confirmed').at(-1);
  }
}

/** The sends that draw on a budget and did not fail, oldest first. */
async function drawingOn(db: Db, payerId: string): Promise<StoredSend[]> {
  return db
    .selectFrom('sends')
    .selectAll()
    .where('draws_on', '=', payerId)
    .where('status', '<>', sql.lit('failed'))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** The fee of the dearest signed version, atoms. */
async function highestFee(db: Db, sendId: string): Promise<bigint> {
  const fees = await db.selectFrom('send_versions').select('fee').where('send_id', '=', sendId).execute();
  return fees.reduce((most, { fee }) => (BigInt(fee) > most ? BigInt(fee) : most), 0n);
}

function belowSigned(signed: bigint, { coin }: Budgeted): Error {
  const least = `${formatCoinAmount(signed, coin)} ${coin}`;
  return invalidField('maxFee', `is below the network fee of ${least} that is signed already`);
}
