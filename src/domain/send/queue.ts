import type { SendPlan } from '../chain.ts';

/**
 * The queue of a merchant address, where a send draws on whole accounts (Solana): every open send that draws
 * on that address or pays into it, in creation order. A send may draw on the balance that the sends before it
 * will leave: it is signed at once and held until they are executed. So at most one send in flight draws on
 * the address, apart from one that predates a restore: an expiry proof for two sends is impossible, because
 * neither balance check can exclude the other.
 */

/**
 * Maximum number of sends that may wait on one address: each is released only once the previous one is in a
 * block.
 */
export const MAX_QUEUED = 100;

/** An open send of the address that no block contains yet. */
export interface QueueMember {
  readonly id: string;
  readonly position: number;
  /** Whether it is queued: no node has had its bytes. */
  readonly isQueued: boolean;
  /**
   * A transaction unknown to the ledger may have paid it: it predates a restore or skipped blocks. It may
   * wait for the operator, so later sends do not wait for it.
   */
  readonly isPossiblyPaid: boolean;
  /** Its effect on the balance of the address, atoms. */
  readonly balanceChange: bigint;
}

/** The effect of a plan on the balance of an account, atoms; null if it does not touch the account. */
export function accountBalanceChange(
  { inputs, change, destination, amount }: Pick<SendPlan, 'inputs' | 'change' | 'destination' | 'amount'>,
  account: string,
): bigint | null {
  const withdrawn = amountSpentFrom(inputs, account);
  const returned = change?.address === account ? change.amount : 0n;
  const received = destination === account ? amount : 0n;
  return withdrawn === 0n && returned === 0n && received === 0n ? null : returned + received - withdrawn;
}

/** The balance that a plan assumes in an account, atoms; 0 if it does not draw on the account. */
export function amountSpentFrom(inputs: SendPlan['inputs'], account: string): bigint {
  return inputs.reduce((sum, { address, amount }) => (address === account ? sum + amount : sum), 0n);
}

/**
 * The sends that may leave the queue now: the first one, if it is queued and no other send in flight draws on
 * the address. Sends that may have been paid by an undetected transaction, and later ones, form two queues.
 */
export function readyForRelease(members: readonly QueueMember[]): QueueMember[] {
  const [unseen, others] = [true, false].map((isUnseen) =>
    members.filter(({ isPossiblyPaid }) => isPossiblyPaid === isUnseen),
  );
  return [unseen, others].flatMap((queue = []) => {
    const [first] = queue.toSorted((a, b) => a.position - b.position);
    const isDrawnOn = queue.some(({ isQueued, balanceChange }) => !isQueued && balanceChange < 0n);
    return first?.isQueued === true && !isDrawnOn ? [first] : [];
  });
}

/** The balance of the address after all of them are executed; null where no further send may rely on it. */
export function balanceAfterQueue(balance: bigint, members: readonly QueueMember[]): bigint | null {
  if (members.filter(({ isQueued }) => isQueued).length >= MAX_QUEUED) return null;
  const rest = members.reduce((sum, { balanceChange }) => sum + balanceChange, balance);
  return rest > 0n ? rest : null;
}

/**
 * The balance that a send at the head of the queue may draw on when it is planned again: excludes pending
 * deposits of the others, which may never arrive, and subtracts their withdrawals. Null while another send in
 * flight draws on the address, unless that one may wait for the operator.
 */
export function balanceExcludingQueue(balance: bigint, others: readonly QueueMember[]): bigint | null {
  const withdrawals = others.filter(({ balanceChange }) => balanceChange < 0n);
  if (withdrawals.some(({ isQueued, isPossiblyPaid }) => !isQueued && !isPossiblyPaid)) return null;
  const rest = withdrawals.reduce((sum, { balanceChange }) => sum + balanceChange, balance);
  return rest > 0n ? rest : null;
}
