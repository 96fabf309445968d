import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { AmountError, formatCoinAmount, parseCoinAmount } from '../../domain/money.ts';
import { atomsToRequest, atomsUp } from '../../domain/payment/paid-share.ts';
import { missingShare } from '../../domain/payment/status.ts';
import type { PaymentState } from '../../domain/payment/types.ts';

/** The simulated payer's intent with respect to the price. */
export type PayerIntent = 'exact' | 'underpay' | 'overpay';

/**
 * The amount that a simulated payer sends, in atoms: the amount due, half of the missing amount, or one and a
 * half times the price; or the requested amount, if it fits the intent.
 * @throws {AppError} VALIDATION_INVALID (amount); INVALID_STATE when nothing is missing any more
 */
export function simulatedAmount(
  payment: PaymentState,
  coin: Coin,
  intent: PayerIntent,
  requested: string | undefined,
): bigint {
  const due = payment.options[coin]?.due;
  if (due === undefined) throw invalidField('coin', `this payment does not accept ${coin}`);
  const share = missingShare(payment);
  const missing = atomsUp(share, due);
  if (requested !== undefined) return checkedAmount(requested, coin, intent, missing);
  if (intent === 'overpay') return missing + half(due);
  if (missing === 0n) throw new AppError('INVALID_STATE', 'The payment is already paid in full');
  if (intent === 'underpay') return half(missing);
  const { decimals: coinDecimals } = COIN_DEFINITIONS[coin];
  return atomsToRequest(share, { due, coinDecimals, toleranceBps: payment.toleranceBps });
}

function checkedAmount(requested: string, coin: Coin, intent: PayerIntent, missing: bigint): bigint {
  const amount = parsedAmount(requested, coin);
  const limit = `${formatCoinAmount(missing, coin)} ${coin}, the missing amount`;
  if (intent === 'underpay' && amount >= missing) {
    throw invalidField('amount', `must be less than ${limit}, to underpay`);
  }
  if (intent === 'overpay' && amount <= missing) {
    throw invalidField('amount', `must be more than ${limit}, to overpay`);
  }
  return amount;
}

/**
 * Far above any coin's supply and any price. An amount that no network could carry would spoil the sends and
 * sums of the sandbox wallet, which hold 36 digits.
 */
const MOST_ATOMS = 10n ** 30n;

function parsedAmount(requested: string, coin: Coin): bigint {
  try {
    const amount = parseCoinAmount(requested, coin);
    if (amount >= MOST_ATOMS) throw new AmountError(`exceeds the supply of ${coin}`);
    if (amount > 0n) return amount;
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    throw invalidField('amount', error.message);
  }
  throw invalidField('amount', 'must be greater than zero');
}

/** Half, but at least one atom. */
function half(atoms: bigint): bigint {
  return atoms > 1n ? atoms / 2n : 1n;
}
