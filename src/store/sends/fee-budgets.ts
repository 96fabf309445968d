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
