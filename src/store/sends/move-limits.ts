import type { Selectable } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { exchangeRate } from '../../domain/fiat.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { atomsFor } from '../../domain/price.ts';
import { startOfLimitDay } from '../../domain/send/limit-day.ts';
import { freeMoves, type SpendingLimits } from '../../domain/send/spending-limits.ts';
import { toCreator } from '../creators.ts';
import type { SendRow } from '../schema/sends.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { type OutgoingValue, readTerms } from './spending-limits.ts';
import { rateOrNull, spentToday } from './spent-today.ts';

/**
 * The limits for moves within the wallet: sweeps and consolidations. Their amount stays in the wallet, but their fees do
 * not. On a day they may take the usual share of the limit per day, and beyond that they count like money that leaves.
 * One that is in no block counts with its whole fee budget, and in a block with its fee. No approval can be given for a
 * move, so its budget is what the limits leave.
 */

type StoredSend = Selectable<SendRow>;
type Move = ChainId & Pick<StoredSend, 'merchantId'> & { readonly id?: string };

/** How the fee of a move counts. */
export type MoveValue = Omit<OutgoingValue, 'watchKeys' | 'freeFee'>;

/** Whether a send moves money within the wallet on a budget of its own; a part or a child draws on that of a send. */
export function isOwnMove({
  purpose,
  drawsOn = null,
  partOf = null,
}: Pick<StoredSend, 'purpose'> & Partial<Pick<StoredSend, 'drawsOn' | 'partOf'>>): boolean {
  return purpose !== 'send' && drawsOn === null && partOf === null;
}

/**
 * The budget that a new move gets: at most what the limits leave.
 * @throws {AppError} FEE_ABOVE_LIMIT when they do not leave its fee
 */
export async function boundMoveBudget(
  db: Db,
  move: Move & { readonly fee: bigint; readonly maxFee: bigint },
  value: MoveValue,
): Promise<bigint> {
  const room = await findMoveRoom(db, move, value);
  if (room === null || move.maxFee <= room) return move.maxFee;
  if (move.fee > room) throw aboveLimits(move, move.fee, room);
  return room;
}

/** Checks the budget of a new move where it is stored. @throws {AppError} FEE_ABOVE_LIMIT */
export async function requireMoveRoom(
  tx: Tx,
  move: Move & Pick<StoredSend, 'maxFee'>,
  value: MoveValue,
): Promise<void> {
  const room = await findMoveRoom(tx, move, value);
  if (room !== null && BigInt(move.maxFee) > room) throw aboveLimits(move, BigInt(move.maxFee), room);
}

/** Checks a higher budget of a stored move; ignores sends. @throws {AppError} FEE_ABOVE_LIMIT */
export async function requireRaisedMoveRoom(
  tx: Tx,
  send: StoredSend,
  budget: bigint,
  value: Omit<MoveValue, 'creator'>,
): Promise<void> {
  if (!isOwnMove(send) || budget <= BigInt(send.maxFee)) return;
  await requireMoveRoom(
    tx,
    { ...send, maxFee: budget.toString() },
    { ...value, creator: toCreator(send), now: Math.min(send.createdAt, value.now) },
  );
}

/** The highest fee budget that the limits of the shop and of the key leave, atoms, not negative; null: no limit. */
async function findMoveRoom(db: Db, move: Move, value: MoveValue): Promise<bigint | null> {
  const { coin, mode, merchantId, id } = move;
  const { merchant, shop, key, keyId } = await readTerms(db, merchantId, value.creator, value.now);
  const day = {
    ...value,
    merchantId,
    mode,
    start: startOfLimitDay(merchant, value.now),
    ...(id === undefined ? {} : { excludedId: id }),
  };
  let room: bigint | null = null;
  const narrow = (currency: string, minor: bigint | null): void => {
    const rate = minor === null ? null : rateOrNull(value.rates, { coin, currency, mode });
    const isKnown = minor !== null && minor > 0n && rate !== null;
    const atoms = isKnown ? atomsFor(minor, exchangeRate(rate, currency, coin)) : 0n;
    if (room === null || atoms < room) room = atoms;
  };
  const all: readonly { readonly limits: SpendingLimits; readonly ofKey: string | null }[] = [
    { limits: shop, ofKey: null },
    ...(keyId === null ? [] : [{ limits: key, ofKey: keyId }]),
  ];
  for (const { limits, ofKey } of all) {
    const { perSend, perDay } = limits;
    if (perSend !== null) narrow(perSend.currency, perSend.minor);
    if (perDay === null) continue;
    const { currency, minor } = perDay;
    const spent = await spentToday(db, { ...day, keyId: ofKey });
    const [sends, moves] = [spent.sends(currency), spent.moves(currency)];
    const left = sends === null ? null : sends < minor ? minor - sends : 0n;
    narrow(currency, left === null || moves === null ? null : left + freeMoves(perDay, value) - moves);
  }
  return room;
}

function aboveLimits({ coin }: Move, fee: bigint, room: bigint): AppError {
  const [feeText, most] = [fee, room].map((atoms) => `${formatCoinAmount(atoms, coin)} ${coin}`);
  return new AppError(
    'FEE_ABOVE_LIMIT',
    `a fee of ${feeText} is above what the limits of the wallet leave for moves within it today: ${most}`,
  );
}
