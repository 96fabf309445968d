import type { SendPlan } from '../chain.ts';

/**
 * The queue of a merchant address, where a send draws on whole accounts (Solana): every open send that draws on that
 * address or pays into it, in the order in which they were made. A send may draw on what the sends before it will
 * leave there: it is signed at once, and held until they have landed. So at most one send in the network draws on the
 * address, besides one from before a restore: the proof of an expiry finds the money of neither where the other took it.
 */

/** Most sends that may wait on one address: each is released only once the one before it is in a block. */
export const MAX_QUEUED = 100;

/** An open send of the address that no block holds yet. */
export interface QueueMember {
  readonly id: string;
  readonly position: number;
  /** It is held: no node has had its bytes. */
  readonly isQueued: boolean;
  /**
   * It may have been paid by a transaction that the ledger does not know: it is older than a restore or skipped blocks.
   * It may wait for the operator, so those made since do not wait for it.
   */
  readonly mayBePaidUnseen: boolean;
  /** What it will change on the balance of the address, atoms. */
  readonly balanceChange: bigint;
}

/** What a plan changes on the balance of an account, atoms; null where it does not concern it. */
export function accountBalanceChange(
  { inputs, change, destination, amount }: Pick<SendPlan, 'inputs' | 'change' | 'destination' | 'amount'>,
  account: string,
): bigint | null {
  const taken = drawnFrom(inputs, account);
  const returned = change?.address === account ? change.amount : 0n;
  const received = destination === account ? amount : 0n;
  return taken === 0n && returned === 0n && received === 0n ? null : returned + received - taken;
}

/** What a plan assumes that an account holds, atoms; 0 where it does not draw on it. */
export function drawnFrom(inputs: SendPlan['inputs'], account: string): bigint {
  return inputs.reduce((sum, { address, amount }) => (address === account ? sum + amount : sum), 0n);
}

/**
 * The sends that may leave the queue now: the first of all, if it is held and no other one in the network draws on the
 * address. Sends that may have been paid unseen, and those made since, are two queues.
 */
export function readyForRelease(members: readonly QueueMember[]): QueueMember[] {
  const [unseen, others] = [true, false].map((isUnseen) =>
    members.filter(({ mayBePaidUnseen }) => mayBePaidUnseen === isUnseen),
  );
  return [unseen, others].flatMap((queue = []) => {
    const [first] = queue.toSorted((a, b) => a.position - b.position);
    const isDrawnOn = queue.some(({ isQueued, balanceChange }) => !isQueued && balanceChange < 0n);
    return first?.isQueued === true && !isDrawnOn ? [first] : [];
  });
}

/** What the address will hold once all of them have landed; null where no further send may rely on that. */
export function balanceAfterQueue(balance: bigint, members: readonly QueueMember[]): bigint | null {
  if (members.filter(({ isQueued }) => isQueued).length >= MAX_QUEUED) return null;
  const rest = members.reduce((sum, { balanceChange }) => sum + balanceChange, balance);
  return rest > 0n ? rest : null;
}

/**
 * What a send that has its turn may draw on the address when it is planned again, beside the others: what they pay
 * into it may never come, and what they take away is theirs. Null while another one in the network draws on it, other
 * than one that may wait for the operator.
 */
export function balanceExcludingQueue(balance: bigint, others: readonly QueueMember[]): bigint | null {
  const taken = others.filter(({ balanceChange }) => balanceChange < 0n);
  if (taken.some(({ isQueued, mayBePaidUnseen }) => !isQueued && !mayBePaidUnseen)) return null;
  const rest = taken.reduce((sum, { balanceChange }) => sum + balanceChange, balance);
  return rest > 0n ? rest : null;
}
