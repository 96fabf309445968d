import { z } from 'zod';
import { COIN_DEFINITIONS, type Coin } from '../domain/coins.ts';
import { type ConfirmationPolicy, isAtLeast, type RequiredConfirmations } from '../domain/confirmations.ts';
import { decimalOrUndefined, scalar } from './values.ts';

const MAX_CONFIRMATIONS = 1000;
const MAX_TIERS = 10;

const policyShape = z.strictObject({
  default: z.unknown(),
  tiers: z
    .array(z.strictObject({ from: z.unknown(), confirmations: z.unknown() }))
    .max(MAX_TIERS)
    .default([]),
});

/**
 * A confirmation policy: a number, or a default with tiers by coin amount; in the environment the
 * tiers follow as `2,0.5:3,5:6`. Ether may also wait for the network's own `safe` and `finalized`,
 * which are stricter than any number. Unconfirmed money never settles, so 1 is the minimum.
 */
export function confirmationPolicy(coin: Coin) {
  const words = Object.keys(COIN_DEFINITIONS[coin].finality);
  const finalized = words.length === 0 ? '' : `${words.length > 1 ? ', ' : ' or '}${words.join(' or ')}`;
  const expected = `a number of confirmations from 1 to ${MAX_CONFIRMATIONS}${finalized}, or a default with rising tiers such as 2,0.5:3,5:6`;
  return z.unknown().transform((value, context): ConfirmationPolicy => {
    const policy = readPolicy(value, coin);
    if (policy !== undefined) return policy;
    context.addIssue({ code: 'custom', message: `must be ${expected}` });
    return z.NEVER;
  });
}

function readPolicy(value: unknown, coin: Coin): ConfirmationPolicy | undefined {
  const shape = policyShape.safeParse(isScalar(value) ? policyOfText(String(value)) : value);
  if (!shape.success) return undefined;
  const base = confirmations(shape.data.default, coin);
  if (base === undefined) return undefined;
  const tiers = [];
  let [lastAtoms, last] = [0n, base];
  for (const tier of shape.data.tiers) {
    const fromAtoms = decimalOrUndefined(String(tier.from), COIN_DEFINITIONS[coin].decimals);
    const needed = confirmations(tier.confirmations, coin);
    if (fromAtoms === undefined || needed === undefined) return undefined;
    if (fromAtoms <= lastAtoms || !isAtLeast(needed, last)) return undefined;
    tiers.push({ fromAtoms, confirmations: needed });
    [lastAtoms, last] = [fromAtoms, needed];
  }
  return { base, tiers };
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function policyOfText(value: string): unknown {
  const [base = '', ...tiers] = value.split(',').map((part) => part.trim());
  return {
    default: base,
    tiers: tiers.map((tier) => {
      const [from = '', needed = ''] = tier.split(':');
      return { from, confirmations: needed };
    }),
  };
}

function confirmations(value: unknown, coin: Coin): RequiredConfirmations | undefined {
  const text = scalar.safeParse(value).data ?? '';
  const { finality } = COIN_DEFINITIONS[coin];
  if (Object.hasOwn(finality, text)) return finality[text];
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= MAX_CONFIRMATIONS ? number : undefined;
}
