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
  readonly ownerId: string;
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
 * The users who may approve a send: those of the approvers that the owner chose who did not order it; without such a
 * person the owner, who may have ordered it only if there are no approvers.
 * @param askerId the user who ordered it, or created the key that did; null: unknown
 */
export function eligibleApprovers(
  approvers: readonly string[],
  askerId: string | null,
  ownerId: string,
): readonly string[] {
  const others = approvers.filter((id) => id !== askerId);
  if (others.length > 0) return others;
  return approvers.length > 0 && ownerId === askerId ? [] : [ownerId];
}

/**
 * Whether a person may approve a send. It takes a second factor that was not set up just now, because a thief may have a
 * session and the password.
 */
export function missingForApproval(
  approvers: readonly string[],
  askerId: string | null,
  { userId, ownerId, secondFactorSetUpAt: setUpAt }: Approver,
  { policy, now }: { readonly policy: Pick<SendPolicy, 'limitDelayMs'>; readonly now: number },
): MissingForApproval {
  if (!eligibleApprovers(approvers, askerId, ownerId).includes(userId))
    return userId === askerId ? 'other_person' : 'permission';
  if (setUpAt === null) return 'second_factor';
  return now >= secondFactorCountsFrom(setUpAt, policy) ? null : 'new_second_factor';
}
