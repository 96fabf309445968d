import { sql, type Selectable } from 'kysely';
import { invalidField } from '../../domain/errors.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { requireWithin } from '../../domain/send/fee-budget.ts';
import type { SendRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';

/**
 * Fee budgets as stored. Sends may share one: the parts that gather outputs for a send, and the children that
 * pay for its fee (CPFP), draw on its budget. The committed amount is the most that blocks can take from the
 * signed transactions: the dearest version of every part, since a fork may restore any, and the dearest
 * version of the send itself with the children that need that version. The database rejects a version that
 * exceeds the budget.
 */

type StoredSend = Selectable<SendRow>;
type Drawing = Pick<StoredSend, 'draws_on' | 'draws_on_version'>;
type Member = Pick<
  StoredSend,
  'id' | 'coin' | 'status' | 'version' | 'fee' | 'max_fee' | 'draws_on' | 'draws_on_version'
> & { readonly versions: readonly SignedFee[] };

interface SignedFee {
  readonly version: number;
  readonly fee: bigint;
}

/** A send with a budget, and the sends that draw on it and did not fail. */
interface Family {
  readonly owner: Member;
  readonly others: readonly Member[];
}

/** The send whose budget a new one draws on, and the version that it needs, from the send that it names. */
export async function drawOn(
  db: Db,
  { part_of: wholeId = null, draws_on: payerId = null }: Partial<Pick<StoredSend, 'part_of' | 'draws_on'>>,
): Promise<Drawing> {
  const named = wholeId ?? payerId;
  if (named === null) return { draws_on: null, draws_on_version: null };
  const payer = await readSend(db, named);
  if (payer.draws_on !== null) return payer;
  return { draws_on: payer.id, draws_on_version: wholeId === null ? payer.version : null };
}

/**
 * The most that a send may cost now, atoms: its own budget, and the remainder of the one that it draws on.
 */
export async function feeLimit(db: Db, { id }: Pick<StoredSend, 'id'>): Promise<bigint> {
  const send = await readSend(db, id);
  const left = leftFor(await loadFamily(db, send), send);
  const budget = BigInt(send.max_fee);
  return budget < left ? budget : left;
}

/** The remainder of a budget for a new send that draws on this one, atoms. */
export async function remainingBudget(db: Db, payer: Pick<StoredSend, 'id'>): Promise<bigint> {
  return leftToDraw(db, await drawOn(db, { draws_on: payer.id }));
}

/** The remainder for a new part of a send, atoms, after the plan for what follows that part. */
export async function remainingBudgetForPart(db: Db, whole: Pick<StoredSend, 'id'>): Promise<bigint> {
  return leftToDraw(db, await drawOn(db, { part_of: whole.id }));
}

/** @throws {AppError} FEE_ABOVE_LIMIT when a send would draw more on another one's budget than remains. */
export async function requireDrawable(
  tx: Tx,
  { max_fee: budget, coin, ...drawing }: Drawing & Pick<StoredSend, 'max_fee' | 'coin'>,
): Promise<void> {
  if (drawing.draws_on === null) return;
  requireWithin(await leftToDraw(tx, drawing), BigInt(budget), coin);
}

/** @throws {AppError} FEE_ABOVE_LIMIT when a version would cost more than its send may. */
export async function requireWithinBudget(
  tx: Tx,
  version: { readonly send_id: string; readonly fee: string; readonly coin: StoredSend['coin'] },
): Promise<void> {
  requireWithin(await feeLimit(tx, { id: version.send_id }), BigInt(version.fee), version.coin);
}

/**
 * Changes the budget of a send by order of the merchant. Open sends that draw on it may use its whole
 * remainder.
 * @throws {AppError} VALIDATION_INVALID naming `maxFee` when it is below the signed fees, or when a send
 * would get more than the remainder of the budget that it draws on.
 */
export async function changeBudget(
  tx: Tx,
  { id }: Pick<StoredSend, 'id'>,
  budget: bigint,
  now: number,
): Promise<void> {
  const send = await readSend(tx, id);
  const family = await loadFamily(tx, send);
  const signed = send.draws_on === null ? signedWithin(family) : dearest(send);
  if (budget < signed) throw belowSigned(signed, send);
  if (send.draws_on !== null && budget > leftFor(family, send)) throw aboveShared(family.owner, send);
  await storeBudget(tx, id, budget, now);
  if (send.draws_on !== null) return;
  const changed = { ...family, owner: { ...send, max_fee: budget.toString() } };
  for (const other of family.others) {
    if (other.status === 'confirmed') continue;
    await storeBudget(tx, other.id, larger(leftFor(changed, other), dearest(other)), now);
  }
}

/**
 * Extends the budget for a mined transaction of a send: it was signed within a budget that the merchant
 * raised after the backup from which this database was restored. Covers everything that is signed, because a
 * failed send may have been mined after others used its remainder, and the database rejects a budget below
 * that.
 */
export async function admitFee(
  tx: Tx,
  { id }: Pick<StoredSend, 'id'>,
  fee: bigint,
  now: number,
): Promise<void> {
  const send = await readSend(tx, id);
  const family = await loadFamily(tx, send);
  await growToCover(tx, family, committedByOthers(family, send) + fee, now);
  if (send.id !== family.owner.id && fee > BigInt(send.max_fee)) await storeBudget(tx, id, fee, now);
}

/** The same for a new part of a send. */
export async function admitPart(
  tx: Tx,
  whole: Pick<StoredSend, 'id'>,
  fee: bigint,
  now: number,
): Promise<void> {
  const drawing = await drawOn(tx, { part_of: whole.id });
  const family = await loadFamily(tx, await readSend(tx, drawing.draws_on ?? whole.id));
  await growToCover(tx, family, committedByOthers(family, { id: null, ...drawing }) + fee, now);
}

async function growToCover(tx: Tx, family: Family, needed: bigint, now: number): Promise<void> {
  const { id, max_fee: budget } = family.owner;
  const least = larger(needed, signedWithin(family));
  if (least > BigInt(budget)) await storeBudget(tx, id, least, now);
}

async function leftToDraw(db: Db, { draws_on: ownerId, draws_on_version: needs }: Drawing): Promise<bigint> {
  if (ownerId === null) throw new Error('a send without a shared budget has no share of one');
  const family = await loadFamily(db, await readSend(db, ownerId));
  return leftFor(family, { id: null, draws_on: ownerId, draws_on_version: needs });
}

type Drawer = Drawing & { readonly id: string | null };

/** The most that a member of a family may cost, given what the others can take; atoms, never negative. */
function leftFor(family: Family, drawer: Drawer): bigint {
  return larger(BigInt(family.owner.max_fee) - committedByOthers(family, drawer), 0n);
}

/** The most that the others of a family can take with one of it, or a new one, atoms. */
function committedByOthers(
  { owner, others }: Family,
  { id, draws_on: drawsOn, draws_on_version: needs }: Drawer,
): bigint {
  const beside = { owner, others: others.filter((other) => other.id !== id) };
  const ownFee = drawsOn === null ? 0n : needs === null ? highestOwnFee(beside) : ownWith(beside, needs);
  return sumParts(beside) + ownFee;
}

/** The most that blocks can take within a budget from the signed transactions, atoms. */
function signedWithin(family: Family): bigint {
  const { owner } = family;
  return sumParts(family) + (owner.versions.length === 0 ? 0n : highestOwnFee(family));
}

function sumParts({ others }: Family): bigint {
  return sum(others.filter((other) => other.draws_on_version === null).map(dearest));
}

/** The dearest version of the owner with its dependants; the planned fee while none is signed. */
function highestOwnFee(family: Family): bigint {
  const { status, fee, versions } = family.owner;
  if (versions.length === 0) return status === 'preparing' ? BigInt(fee) : 0n;
  return versions.map(({ version }) => ownWith(family, version)).reduce(larger, 0n);
}

function ownWith({ owner, others }: Family, needs: number): bigint {
  const ownFee = owner.versions.find(({ version }) => version === needs)?.fee ?? 0n;
  return ownFee + sum(others.filter((other) => other.draws_on_version === needs).map(dearest));
}

function dearest({ versions }: Pick<Member, 'versions'>): bigint {
  return versions.map(({ fee }) => fee).reduce(larger, 0n);
}

async function loadFamily(db: Db, send: Member): Promise<Family> {
  const owner = send.draws_on === null ? send : await readSend(db, send.draws_on);
  const rows = await db
    .selectFrom('sends')
    .select('id')
    .where('draws_on', '=', owner.id)
    .where('status', '<>', sql.lit('failed'))
    .execute();
  const others: Member[] = [];
  for (const { id } of rows) others.push(await readSend(db, id));
  return { owner, others };
}

async function readSend(db: Db, id: string): Promise<Member> {
  const send = await db
    .selectFrom('sends')
    .select(['id', 'coin', 'status', 'version', 'fee', 'max_fee', 'draws_on', 'draws_on_version'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const versions = await db
    .selectFrom('send_versions')
    .select(['version', 'fee'])
    .where('send_id', '=', id)
    .execute();
  return { ...send, versions: versions.map(({ version, fee }) => ({ version, fee: BigInt(fee) })) };
}

async function storeBudget(tx: Tx, id: string, budget: bigint, now: number): Promise<void> {
  await tx
    .updateTable('sends')
    // The next review decides whether a fee bump still waits.
    .set({ max_fee: budget.toString(), fee_limited_at: null, updated_at: now })
    .where('id', '=', id)
    .execute();
}

function belowSigned(signed: bigint, { coin }: Member): Error {
  const least = `${formatCoinAmount(signed, coin)} ${coin}`;
  return invalidField('maxFee', `is below the network fee of ${least} of its signed transactions`);
}

function aboveShared({ id, max_fee: budget }: Member, { coin }: Member): Error {
  const most = `${formatCoinAmount(BigInt(budget), coin)} ${coin}`;
  return invalidField(
    'maxFee',
    `is above the remainder of the fee limit of ${most} of send ${id}, which this transaction serves: raise that limit`,
  );
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
