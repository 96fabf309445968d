import type { Coin, Mode } from '../../domain/coins.ts';
import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import {
  expectedConfirmations,
  requiredFinality,
  isAtLeast,
  requiredConfirmationsFor,
  type ConfirmationPolicy,
  type RequiredConfirmations,
} from '../../domain/confirmations.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { Chains } from '../../domain/chains.ts';
import { requestedAtoms, type Fiat } from '../../domain/fiat.ts';
import type { Clock, RateQuote, Rates } from '../../domain/ports.ts';
import { startedWatchAccounts } from '../../store/ledger/watch-accounts.ts';
import type { StoredOption } from '../../store/payments/payments.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { noneLeft } from '../addresses/index.ts';

export interface OfferDeps {
  readonly chains: Chains;
  readonly rates: Pick<Rates, 'quote'>;
  /** Confirmation policy of a coin in a mode. */
  readonly confirmations: (coin: Coin, mode: Mode) => ConfirmationPolicy;
}

/** Confirmations requested by a payment itself, per coin. */
export type RequestedConfirmations = Readonly<Partial<Record<Coin, number>>>;

/** As stored: null when none are requested. */
export function confirmationsJson(requested: RequestedConfirmations): string | null {
  return Object.keys(requested).length === 0 ? null : JSON.stringify(requested);
}

/** A coin in which a price can be paid, with its atoms. */
export interface Offer {
  readonly coin: Coin;
  readonly due: bigint;
  readonly quote: RateQuote;
}

/** The offered coins and their terms. */
export interface Terms {
  readonly mode: Mode;
  readonly price: Fiat;
  /** The field of the request that set the price. */
  readonly priceField: 'amount' | 'priceId';
}

/**
 * The configured and priced subset of the coins in which the chain can carry the price.
 * @throws {AppError} COIN_UNAVAILABLE, RATE_UNAVAILABLE, VALIDATION_INVALID (too small or too large in every
 * coin)
 */
export function offersFor(deps: OfferDeps, coins: readonly Coin[], terms: Terms): Offer[] {
  const running = coins.filter((coin) => deps.chains.get(coin, terms.mode) !== null);
  if (running.length === 0) {
    throw new AppError('COIN_UNAVAILABLE', 'None of the allowed coins is configured on this server');
  }
  const offers: Offer[] = [];
  let lastError: unknown;
  let size: 'too small' | 'too large' | null = null;
  for (const coin of running) {
    try {
      const offer = toPaymentOption(deps, coin, terms);
      if (typeof offer === 'string') size = offer;
      else offers.push(offer);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RATE_UNAVAILABLE') throw error;
      lastError = error;
    }
  }
  if (offers.length > 0) return offers;
  if (size !== null) {
    const code = size === 'too small' ? 'too_small' : 'too_big';
    throw invalidField(terms.priceField, `${size} to be paid in any of the allowed coins`, code);
  }
  throw lastError;
}

/**
 * offersFor, without coins for which the lists of addresses of the shop have come to their end: their orders would need
 * an address of the till, where the shop does not want its money.
 * @throws {AppError} as offersFor, for all of the coins; COIN_UNAVAILABLE where only coins without addresses can carry
 * the price
 */
export async function shopOffers(
  tx: Tx,
  deps: OfferDeps & { readonly clock: Clock },
  merchantId: string,
  { coins, ...terms }: Terms & { readonly coins: readonly Coin[] },
): Promise<Offer[]> {
  const { mode } = terms;
  const offers = offersFor(deps, coins, terms);
  const started = await startedWatchAccounts(tx, { merchantId, mode, now: deps.clock.now() });
  const left = offers.filter(({ coin }) => {
    const lists = started.filter((account) => account.coin === coin && account.listSize !== null);
    return lists.length === 0 || lists.some(({ listSize, nextReceive }) => nextReceive < (listSize ?? 0));
  });
  const [first] = offers;
  if (left.length === 0 && first !== undefined) throw noneLeft(first.coin);
  return left;
}

/**
 * One coin at the current rate, or the reason why the price cannot be paid in it: below its chain's minimum,
 * or above its supply.
 * @throws {AppError} RATE_UNAVAILABLE
 */
export function toPaymentOption(
  deps: OfferDeps,
  coin: Coin,
  { mode, price }: Terms,
): Offer | 'too small' | 'too large' {
  const quote = deps.rates.quote(coin, price.currency, mode);
  const { decimals, supply } = COIN_DEFINITIONS[coin];
  const due = requestedAtoms(price, quote.rate, coin);
  if (due > supply * 10n ** BigInt(decimals)) return 'too large';
  return due < (deps.chains.get(coin, mode)?.minimumPayment ?? 0n) ? 'too small' : { coin, due, quote };
}

/** The part of a stored option that a new quote changes. */
export type QuotedTerms = Omit<StoredOption, 'paymentId' | 'coin' | 'addressId' | 'address'>;

/**
 * An offer as stored.
 * @throws {AppError} VALIDATION_INVALID when fewer confirmations are requested than the policy requires for
 * the amount
 */
export function quotedTerms(
  deps: OfferDeps,
  { coin, due, quote }: Offer,
  { mode, requested }: { readonly mode: Mode; readonly requested: RequestedConfirmations },
): QuotedTerms {
  const policy = requiredConfirmationsFor(deps.confirmations(coin, mode), due);
  const requirement = requireAtLeast(policy, coin, requested[coin]);
  return {
    amount: due.toString(),
    rate: quote.rate,
    rateSourcesJson: JSON.stringify(quote.sources),
    rateAt: quote.at,
    requiredConfirmations: expectedConfirmations(requirement),
    requiredFinality: requiredFinality(requirement),
  };
}

/**
 * The earlier request, without values that the policy now forbids: the policy may be stricter, or the amount
 * in another tier.
 */
export function stillAllowed(
  deps: OfferDeps,
  offers: readonly Offer[],
  { mode, asked: requested }: { readonly mode: Mode; readonly asked: RequestedConfirmations },
): RequestedConfirmations {
  const allowed = offers.flatMap(({ coin, due }) => {
    const confirmations = requested[coin];
    if (confirmations === undefined) return [];
    const policy = requiredConfirmationsFor(deps.confirmations(coin, mode), due);
    return isAtLeast(confirmations, policy) ? [[coin, confirmations] as const] : [];
  });
  return Object.fromEntries(allowed);
}

function requireAtLeast(
  policy: RequiredConfirmations,
  coin: Coin,
  requested: number | undefined,
): RequiredConfirmations {
  if (requested === undefined) return policy;
  if (isAtLeast(requested, policy)) return requested;
  const least =
    typeof policy === 'number' ? `at least ${policy}` : `left out: the server waits for '${policy}'`;
  throw invalidField(`confirmations.${coin}`, `must be ${least}, as this server requires for the amount`);
}
