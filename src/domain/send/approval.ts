import type { SendPolicy } from './policy.ts';

/** A send above a limit is stored as an order that waits; nothing of it is signed before it is approved. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** `claim`: the payer's claim on a refund link. */
export const APPROVAL_KINDS = ['send', 'refund', 'claim'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

/** A person who wants to approve. */
export interface Approver {
  readonly userId: string;
  readonly isOwner: boolean;
  /** When the second factor that the person has just proven was set up, ms; null: none. */
  readonly secondFactorSetUpAt: number | null;
}

/** When a second factor counts, ms: a thief who sets one up must be noticed before. */
export function secondFactorCountsFrom(
  setUpAt: number,
  { limitDelayMs }: Pick<SendPolicy, 'limitDelayMs'>,
): number {
  return setUpAt + limitDelayMs;
}

/** What a person lacks to approve a send; null: nothing. */
export type MissingForApproval =
  'permission' | 'other_person' | 'second_factor' | 'new_second_factor' | 'limits_unconfirmed' | null;

/**
 * Whether a person may approve a send. One of the approvers that the owner chose may, unless the person ordered it;
 * without such a person the owner may. Each proves a second factor that was not set up just now, because a thief may
 * have a session and the password.
 * @param askerId the user who ordered it, or created the key that did; null: unknown
 */
export function missingForApproval(
  approvers: readonly string[],
  askerId: string | null,
  { userId, isOwner, secondFactorSetUpAt: setUpAt }: Approver,
  { policy, now }: { readonly policy: Pick<SendPolicy, 'limitDelayMs'>; readonly now: number },
): MissingForApproval {
  const others = approvers.filter((id) => id !== askerId);
  if (!others.includes(userId)) {
    if (approvers.includes(userId)) return 'other_person';
    if (!isOwner || others.length > 0) return 'permission';
  }
  if (setUpAt === null) return 'second_factor';
  return now >= secondFactorCountsFrom(setUpAt, policy) ? null : 'new_second_factor';
}
