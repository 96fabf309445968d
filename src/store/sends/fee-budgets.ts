import { sql, type Selectable } from 'kysely';
import { invalidField } from '../../domain/errors.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { requireWithin } from '../../domain/send/fee-budget.ts';
import type { SendRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { requireRaisedMoveRoom } from './move-limits.ts';
import { enforceRaisedBudget } from './spending-limits.ts';
import { requireUnfrozenSend } from './wallet-freezes.ts';

/**
 * Fee budgets as stored. Sends may share one: the parts that gather outputs for a send, and the children that
 * pay for its fee (CPFP), draw on its budget. The committed amount is the most that blocks can take from the
 * signed transactions: the dearest version of every part, since a fork may restore any, and the dearest
 * version of the send itself with the children that need that version. The database rejects a version that
 * exceeds the budget.
 */

type StoredSend = Selectable<SendRow>;
type Drawing = Pick<StoredSend, 'drawsOn' | 'drawsOnVersion'>;
type Member = Pick<
  StoredSend,
  'id' | 'coin' | 'status' | 'version' | 'fee' | 'maxFee' | 'drawsOn' | 'drawsOnVersion'
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
  { partOf: wholeId = null, drawsOn: payerId = null }: Partial<Pick<StoredSend, 'partOf' | 'drawsOn'>>,
): Promise<Drawing> {
  const named = wholeId ?? payerId;
  if (named === null) return { drawsOn: null, drawsOnVersion: null };
  const payer = await readSend(db, named);
  if (payer.drawsOn !== null) return payer;
  return { drawsOn: payer.id, drawsOnVersion: wholeId === null ? payer.version : null };
}

/**
 * The most that a send may cost now, atoms: its own budget, and the remainder of the one that it draws on.
 */
export async function feeLimit(db: Db, { id }: Pick<StoredSend, 'id'>): Promise<bigint> {
  const send = await readSend(db, id);
  const left = leftFor(await loadFamily(db, send), send);
  const budget = BigInt(send.maxFee);
  return budget < left ? budget : left;
}

/** The remainder of a budget for a new send that draws on this one, atoms. */
export async function remainingBudget(db: Db, payer: Pick<StoredSend, 'id'>): Promise<bigint> {
  return leftToDraw(db, await drawOn(db, { drawsOn: payer.id }));
}

/** The remainder for a new part of a send, atoms, after the plan for what follows that part. */
export async function remainingBudgetForPart(db: Db, whole: Pick<StoredSend, 'id'>): Promise<bigint> {
  return leftToDraw(db, await drawOn(db, { partOf: whole.id }));
}

/** @throws {AppError} FEE_ABOVE_LIMIT when a send would draw more on another one's budget than remains. */
export async function requireDrawable(
  tx: Tx,
  { maxFee: budget, coin, ...drawing }: Drawing & Pick<StoredSend, 'maxFee' | 'coin'>,
): Promise<void> {
  if (drawing.drawsOn === null) return;
  requireWithin(await leftToDraw(tx, drawing), BigInt(budget), coin);
}

/** @throws {AppError} FEE_ABOVE_LIMIT when a version would cost more than its send may. */
export async function requireWithinBudget(
  tx: Tx,
  version: { readonly sendId: string; readonly fee: string; readonly coin: StoredSend['coin'] },
): Promise<void> {
  requireWithin(await feeLimit(tx, { id: version.sendId }), BigInt(version.fee), version.coin);
}

/**
 * Changes the budget of a send by order of the merchant. Open sends that draw on it may use its whole
 * remainder. A raise counts against the limits of the wallet.
 * @throws {AppError} FEE_ABOVE_LIMIT when that is above a limit; VALIDATION_INVALID naming `maxFee` when it is below the signed fees, or when a send
 * would get more than the remainder of the budget that it draws on; WALLET_FROZEN when it raises the budget of
 * a frozen wallet, because a stolen key could burn the amount as the fee of a cancellation.
 */
export async function changeBudget(
  tx: Tx,
  ordered: StoredSend,
  budget: bigint,
  leaving: Parameters<typeof enforceRaisedBudget>[3],
): Promise<void> {
  const { id } = ordered;
  const { now } = leaving;
  const send = await readSend(tx, id);
  const family = await loadFamily(tx, send);
  const signed = send.drawsOn === null ? signedWithin(family) : dearest(send);
  if (budget < signed) throw belowSigned(signed, send);
  if (budget > BigInt(send.maxFee)) await requireUnfrozenSend(tx, id, 'maxFee cannot be raised');
  if (send.drawsOn !== null && budget > leftFor(family, send)) throw aboveShared(family.owner, send);
  await enforceRaisedBudget(tx, ordered, budget, leaving);
  await requireRaisedMoveRoom(tx, ordered, budget, leaving);
  await storeBudget(tx, id, budget, now);
  if (send.drawsOn !== null) return;
  const changed = { ...family, owner: { ...send, maxFee: budget.toString() } };
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
  if (send.id !== family.owner.id && fee > BigInt(send.maxFee)) await storeBudget(tx, id, fee, now);
}

/** The same for a new part of a send. */
export async function admitPart(
  tx: Tx,
  whole: Pick<StoredSend, 'id'>,
  fee: bigint,
  now: number,
): Promise<void> {
  const drawing = await drawOn(tx, { partOf: whole.id });
  const family = await loadFamily(tx, await readSend(tx, drawing.drawsOn ?? whole.id));
  await growToCover(tx, family, committedByOthers(family, { id: null, ...drawing }) + fee, now);
}

async function growToCover(tx: Tx, family: Family, needed: bigint, now: number): Promise<void> {
  const { id, maxFee: budget } = family.owner;
  const least = larger(needed, signedWithin(family));
  if (least > BigInt(budget)) await storeBudget(tx, id, least, now);
}

async function leftToDraw(db: Db, { drawsOn: ownerId, drawsOnVersion: needs }: Drawing): Promise<bigint> {
  if (ownerId === null) throw new Error('the send has no shared budget');
  const family = await loadFamily(db, await readSend(db, ownerId));
  return leftFor(family, { id: null, drawsOn: ownerId, drawsOnVersion: needs });
}

type Drawer = Drawing & { readonly id: string | null };

/** The most that a member of a family may cost, given what the others can take; atoms, never negative. */
function leftFor(family: Family, drawer: Drawer): bigint {
  return larger(BigInt(family.owner.maxFee) - committedByOthers(family, drawer), 0n);
}

/** The most that the others of a family can take with one of it, or a new one, atoms. */
function committedByOthers(
  { owner, others }: Family,
  { id, drawsOn, drawsOnVersion: needs }: Drawer,
): bigint {
  const familyOfOthers = { owner, others: others.filter((other) => other.id !== id) };
  const ownFee =
    drawsOn === null ? 0n : needs === null ? highestOwnFee(familyOfOthers) : ownWith(familyOfOthers, needs);
  return sumParts(familyOfOthers) + ownFee;
}

/** The most that blocks can take within a budget from the signed transactions, atoms. */
function signedWithin(family: Family): bigint {
  const { owner } = family;
  return sumParts(family) + (owner.versions.length === 0 ? 0n : highestOwnFee(family));
}

function sumParts({ others }: Family): bigint {
  return sum(others.filter((other) => other.drawsOnVersion === null).map(dearest));
}

/** The dearest version of the owner with its dependants; the planned fee while none is signed. */
function highestOwnFee(family: Family): bigint {
  const { status, fee, versions } = family.owner;
  if (versions.length === 0) return status === 'preparing' ? BigInt(fee) : 0n;
  return versions.map(({ version }) => ownWith(family, version)).reduce(larger, 0n);
}

function ownWith({ owner, others }: Family, needs: number): bigint {
  const ownFee = owner.versions.find(({ version }) => version === needs)?.fee ?? 0n;
  return ownFee + sum(others.filter((other) => other.drawsOnVersion === needs).map(dearest));
}

function dearest({ versions }: Pick<Member, 'versions'>): bigint {
  return versions.map(({ fee }) => fee).reduce(larger, 0n);
}

async function loadFamily(db: Db, send: Member): Promise<Family> {
  const owner = send.drawsOn === null ? send : await readSend(db, send.drawsOn);
  const rows = await db
    .selectFrom('sends')
    .select('id')
    .where('drawsOn', '=', owner.id)
    .where('status', '<>', sql.lit('failed'))
    .execute();
  const others: Member[] = [];
  for (const { id } of rows) others.push(await readSend(db, id));
  return { owner, others };
}

async function readSend(db: Db, id: string): Promise<Member> {
  const send = await db
    .selectFrom('sends')
    .select(['id', 'coin', 'status', 'version', 'fee', 'maxFee', 'drawsOn', 'drawsOnVersion'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const versions = await db
    .selectFrom('send_versions')
    .select(['version', 'fee'])
    .where('sendId', '=', id)
    .execute();
  return { ...send, versions: versions.map(({ version, fee }) => ({ version, fee: BigInt(fee) })) };
}

async function storeBudget(tx: Tx, id: string, budget: bigint, now: number): Promise<void> {
  await tx
    .updateTable('sends')
    // The next review decides whether a fee bump still waits.
    .set({ maxFee: budget.toString(), feeLimitedAt: null, updatedAt: now })
    .where('id', '=', id)
    .execute();
}

function belowSigned(signed: bigint, { coin }: Member): Error {
  const least = `${formatCoinAmount(signed, coin)} ${coin}`;
  return invalidField('maxFee', `is below the network fee of ${least} of its signed transactions`);
}

function aboveShared({ id, maxFee: budget }: Member, { coin }: Member): Error {
  const most = `${formatCoinAmount(BigInt(budget), coin)} ${coin}`;
  return invalidField(
    'maxFee',
    `is above the remainder of the fee budget of ${most} of send ${id}, which this transaction serves: raise that budget`,
  );
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
