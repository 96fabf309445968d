/** How many confirmations a payment in one coin needs before its money counts as settled. */
export interface ConfirmationPolicy {
  readonly base: number;
  /** Ascending by `fromAtoms`, and by confirmations: more money never waits for fewer blocks. */
  readonly tiers: readonly ConfirmationTier[];
}

export interface ConfirmationTier {
  /** Amounts of this many atoms and more. */
  readonly fromAtoms: bigint;
  readonly confirmations: number;
}

/**
 * Depth at which Solana calls a block finalized: the vote lockout of 32 slots has run out.
 * `finalized` in the configuration stands for it.
 */
export const SOLANA_FINALIZED_DEPTH = 32;

/** Confirmations an amount needs under a policy. Never below the policy's base. */
export function requiredConfirmations(policy: ConfirmationPolicy, atoms: bigint): number {
  return policy.tiers.reduce(
    (needed, tier) => (atoms >= tier.fromAtoms ? Math.max(needed, tier.confirmations) : needed),
    policy.base,
  );
}
