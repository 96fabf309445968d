import type { SendPlan } from '../chain.ts';

/**
 * The queue of a merchant address, where a send draws on whole accounts (Solana): every open send that draws on that
 * address or pays into it, in the order in which they were made. A send may draw on what the sends before it will
 * leave there: it is signed at once, and held until they have landed. So at most one send in the network draws on the
 * address, which the proof of an expiry relies on.
 */

/** Most sends that may wait on one address: each is released only once the one before it is in a block. */
export const MAX_QUEUED = 100;

/** An open send of the address that no block holds yet. */
export interface QueueMember {
  readonly id: string;
  readonly position: number;
  /** It is held: no node has had its bytes. */
  readonly isQueued: boolean;
  /** What it will change on the balance of the address, atoms. */
  readonly balanceChange: bigint;
}

/** What a plan changes on the balance of an account, atoms; null where it does not concern it. */
export function balanceChangeOf(
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

/** The send that may leave the queue now: the first of all, if it is held. */
export function nextToRelease(members: readonly QueueMember[]): QueueMember | null {
  const [first] = members.toSorted((a, b) => a.position - b.position);
  return first?.isQueued === true ? first : null;
}

/** What the address will hold once all of them have landed; null where no further send may rely on that. */
export function balanceAfterQueue(balance: bigint, members: readonly QueueMember[]): bigint | null {
  if (members.filter(({ isQueued }) => isQueued).length >= MAX_QUEUED) return null;
  const rest = members.reduce((sum, { balanceChange }) => sum + balanceChange, balance);
  return rest > 0n ? rest : null;
}

/**
 * What a send that has its turn may draw on the address when it is planned again, beside the others: what they pay
 * into it may never come, and what they take away is theirs. Null while another one in the network draws on it.
 */
export function balanceBesideQueue(balance: bigint, others: readonly QueueMember[]): bigint | null {
  const taken = others.filter(({ balanceChange }) => balanceChange < 0n);
  if (taken.some(({ isQueued }) => !isQueued)) return null;
  const rest = taken.reduce((sum, { balanceChange }) => sum + balanceChange, balance);
  return rest > 0n ? rest : null;
}
