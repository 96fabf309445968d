import { assertNever } from './errors.ts';

/** When a payment in one coin counts as settled. */
export interface ConfirmationPolicy {
  readonly base: RequiredConfirmations;
  /** Ascending by `fromAtoms` and by requirement: a larger amount never needs fewer confirmations. */
  readonly tiers: readonly ConfirmationTier[];
}

export interface ConfirmationTier {
  /** Applies to amounts of at least this many atoms. */
  readonly fromAtoms: bigint;
  readonly confirmations: RequiredConfirmations;
}

/** A number of confirmations, or a finality of the network. */
export type RequiredConfirmations = number | Finality;

/**
 * Finality of a block on a proof-of-stake network: `safe` (justified: reverting it takes a third of
 * all stake misbehaving) or `finalized` (reverting it destroys that third).
 */
export type Finality = 'safe' | 'finalized';

/** Newest safe and finalized heights of a network; null while unknown. */
export type FinalHeights = Readonly<Record<Finality, number | null>>;

/**
 * Depth at which Solana calls a block finalized: the vote lockout of 32 slots has expired.
 * `finalized` in the configuration stands for it.
 */
export const SOLANA_FINALIZED_DEPTH = 32;

/** Usual depth of a block at each finality: one epoch of 32 slots, and two. */
const USUAL_DEPTH: Readonly<Record<Finality, number>> = { safe: 32, finalized: 64 };

/** The requirement for an amount under a policy. Never less than the policy's base. */
export function requiredConfirmationsFor(policy: ConfirmationPolicy, atoms: bigint): RequiredConfirmations {
  return policy.tiers.reduce(
    (needed, tier) =>
      atoms >= tier.fromAtoms && isAtLeast(tier.confirmations, needed) ? tier.confirmations : needed,
    policy.base,
  );
}

/** Whether a requirement is at least as strict as another: any number < safe < finalized. */
export function isAtLeast(requirement: RequiredConfirmations, other: RequiredConfirmations): boolean {
  if (typeof requirement === 'number') return typeof other === 'number' && requirement >= other;
  return requirement === 'finalized' || other !== 'finalized';
}

/** Expected confirmations: the number itself, or how many the finality usually takes. */
export function expectedConfirmations(requirement: RequiredConfirmations): number {
  return typeof requirement === 'number' ? requirement : USUAL_DEPTH[requirement];
}

/** The finality that a requirement waits for; null for a number of confirmations. */
export function requiredFinality(requirement: RequiredConfirmations): Finality | null {
  return typeof requirement === 'number' ? null : requirement;
}

/** Every finality that a policy may require. */
export function possibleFinalities(policy: ConfirmationPolicy): Finality[] {
  const words = [policy.base, ...policy.tiers.map((tier) => tier.confirmations)].map(requiredFinality);
  return [...new Set(words)].filter((word) => word !== null);
}

/** The newest height at which a requirement is met, given a chain's tip; -1 while there is none. */
export function settledHeight(
  requirement: RequiredConfirmations,
  chain: { readonly tip: number; readonly final: FinalHeights },
): number {
  if (typeof requirement === 'number') return chain.tip - requirement + 1;
  return finalHeight(chain.final, requirement) ?? -1;
}

/** A finalized block is also safe, whichever height was read last. */
export function finalHeight(final: FinalHeights | undefined, finality: Finality): number | null {
  if (final === undefined) return null;
  switch (finality) {
    case 'finalized':
      return final.finalized;
    case 'safe':
      return final.safe === null || (final.finalized ?? -1) > final.safe ? final.finalized : final.safe;
    default:
      return assertNever(finality);
  }
}
