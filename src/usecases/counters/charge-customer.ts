import { AppError, invalidField } from '../../domain/errors.ts';
import { formatFiat, parseFiat } from '../../domain/fiat.ts';
import { findCounter } from '../../store/merchants/counters.ts';
import type { CounterRow } from '../../store/schema/counters.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { parsePrice } from '../catalog/index.ts';
import { newSlug } from '../links/index.ts';
import {
  createPayment,
  type CreatePaymentDeps,
  type PaymentLine,
  type PaymentView,
} from '../payments/index.ts';
import { listFavourites } from './favourites.ts';

/** Long enough to avoid collisions within a shop, and short enough to be read aloud. */
const ORDER_LENGTH = 10;

export interface ChargeInput {
  readonly merchant: MerchantRow;
  readonly counterId: string;
  /** A typed amount, a decimal string; null: none. */
  readonly amount: string | null;
  /** Favourites of the counter. */
  readonly items: readonly { readonly priceId: string; readonly quantity: number }[];
  /** In addition to both; null: none. */
  readonly tip: string | null;
}

/**
 * Creates the payment of a customer at a counter: a typed amount, favourites, or both, and a tip.
 * @throws {AppError} VALIDATION_INVALID (amount, items, tip), PRICE_NOT_FOUND for a price that is no favourite,
 * RATE_UNAVAILABLE, COIN_UNAVAILABLE
 */
export async function chargeCustomer(deps: CreatePaymentDeps, input: ChargeInput): Promise<PaymentView> {
  const { merchant } = input;
  const counter = await findCounter(deps.db, input.counterId);
  if (counter === undefined) throw new AppError('COUNTER_NOT_FOUND', 'No such counter');
  const { currency } = counter;
  const lines = await toLines(deps.db, merchant.userId, counter, input.items);
  if (input.amount === null && lines.length === 0) throw invalidField('amount', 'is required, or items');
  const typed = input.amount === null ? 0n : parsePrice({ amount: input.amount, currency }).minor;
  const sum = lines.reduce((total, { amount }) => total + parseFiat(amount, currency).minor, typed);
  const tip = input.tip === null ? 0n : parseTip(input.tip, currency);
  const orderId = `C-${newSlug(ORDER_LENGTH).toUpperCase()}`;
  const { payment } = await createPayment(deps, {
    merchant,
    actor: { kind: 'counter', id: counter.id, role: null },
    price: { kind: 'amount', amount: formatFiat({ minor: sum + tip, currency }), currency },
    tip: tip === 0n ? null : formatFiat({ minor: tip, currency }),
    payer: { kind: 'anonymous' },
    orderId,
    orderLabel: null,
    metadata: { counterId: counter.id },
    customFields: null,
    webhookUrl: null,
    successUrl: null,
    returnUrl: null,
    // The payer's page follows the payer's phone.
    locale: null,
    description: null,
    lines,
    lifetimeMinutes: null,
    confirmations: {},
    allowedCryptos: [],
    isPublic: true,
    requestHash: orderId,
    linkId: null,
    counterId: counter.id,
  });
  return payment;
}

function parseTip(tip: string, currency: string): bigint {
  try {
    return parsePrice({ amount: tip, currency }).minor;
  } catch (error) {
    const [problem] = error instanceof AppError ? error.details : [];
    if (problem?.field !== 'amount') throw error;
    throw invalidField('tip', problem.message, problem.code);
  }
}

/** At the current prices of the catalog. */
async function toLines(
  db: Db,
  userId: string,
  counter: CounterRow,
  items: ChargeInput['items'],
): Promise<PaymentLine[]> {
  if (items.length === 0) return [];
  const favourites = await listFavourites(db, userId, counter);
  return items.map(({ priceId, quantity }) => {
    const favourite = favourites.find((one) => one.priceId === priceId);
    if (favourite === undefined)
      throw new AppError(
        'PRICE_NOT_FOUND',
        'This price is not a favourite of the counter, or no longer sold',
      );
    const { currency } = counter;
    const minor = parseFiat(favourite.amount, currency).minor * BigInt(quantity);
    return { name: favourite.name, quantity, amount: formatFiat({ minor, currency }) };
  });
}
