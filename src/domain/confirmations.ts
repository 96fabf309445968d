import { assertNever } from './errors.ts';

/** What a payment in one coin needs before its money counts as settled. */
export interface ConfirmationPolicy {
  readonly base: Requirement;
  /** Ascending by `fromAtoms`, and in what they require: more money never waits for less. */
  readonly tiers: readonly ConfirmationTier[];
}

export interface ConfirmationTier {
  /** Amounts of this many atoms and more. */
  readonly fromAtoms: bigint;
  readonly confirmations: Requirement;
}

/** A number of confirmations, or the network's own word about a block. */
export type Requirement = number | Finality;

/**
 * What a proof-of-stake network says of a block: `safe` (justified: taking it back costs a third of
 * all stake to be misused) or `finalized` (that third is lost for sure).
 */
export type Finality = 'safe' | 'finalized';

/** Newest heights that a network calls safe and finalized; null until it named one. */
export type FinalHeights = Readonly<Record<Finality, number | null>>;

/**
 * Depth at which Solana calls a block finalized: the vote lockout of 32 slots has run out.
 * `finalized` in the configuration stands for it.
 */
export const SOLANA_FINALIZED_DEPTH = 32;

/** How deep a block usually is by then: one epoch of 32 slots, and two. */
const USUAL_DEPTH: Readonly<Record<Finality, number>> = { safe: 32, finalized: 64 };

/** What an amount needs under a policy. Never less than the policy's base. */
export function requirementFor(policy: ConfirmationPolicy, atoms: bigint): Requirement {
  return policy.tiers.reduce(
    (needed, tier) =>
      atoms >= tier.fromAtoms && isAtLeast(tier.confirmations, needed) ? tier.confirmations : needed,
    policy.base,
  );
}

/** Whether a requirement asks no less than another: any number less than safe, safe less than finalized. */
export function isAtLeast(requirement: Requirement, other: Requirement): boolean {
  if (typeof requirement === 'number') return typeof other === 'number' && requirement >= other;
  return requirement === 'finalized' || other !== 'finalized';
}

/** Confirmations to expect: the number itself, or how many the network's word usually takes. */
export function depthOf(requirement: Requirement): number {
  return typeof requirement === 'number' ? requirement : USUAL_DEPTH[requirement];
}

/** The network's word that a requirement waits for; null when it only counts. */
export function finalityOf(requirement: Requirement): Finality | null {
  return typeof requirement === 'number' ? null : requirement;
}

/** Everything that a policy may have to hear from the network. */
export function finalitiesOf(policy: ConfirmationPolicy): Finality[] {
  const words = [policy.base, ...policy.tiers.map((tier) => tier.confirmations)].map(finalityOf);
  return [...new Set(words)].filter((word) => word !== null);
}

/** The newest height at which a requirement is met, given a chain's tip; -1 while there is none. */
export function settledHeight(
  requirement: Requirement,
  chain: { readonly tip: number; readonly final: FinalHeights },
): number {
  if (typeof requirement === 'number') return chain.tip - requirement + 1;
  return finalHeight(chain.final, requirement) ?? -1;
}

/** What is finalized is safe as well, whatever was heard of last. */
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
