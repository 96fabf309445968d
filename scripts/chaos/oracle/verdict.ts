export const VIOLATIONS = [
  'doubled',
  'falsely failed',
  'falsely reversed',
  'falsely expired',
  'falsely late',
  'settled early',
  'completed short',
  'asked twice',
  'given back early',
  'given back too much',
  'above budget',
  'wrong amount',
  'address twice',
  'contradiction',
  'stuck',
] as const;

export interface Violation {
  readonly kind: (typeof VIOLATIONS)[number];
  readonly what: string;
}

export interface Verdict {
  readonly violations: readonly Violation[];
  /** Rightly open at the end: the node lacks the history that would prove the outcome. */
  readonly unknown: readonly string[];
  /** Every event, with its time in the round. */
  readonly events: readonly string[];
}
