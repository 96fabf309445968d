import { assertNever } from './errors.ts';
import type { SendOutput } from './send/outputs.ts';

/** Kinds of accounting entries. */
export const MOVEMENT_KINDS = ['payment', 'refund', 'send', 'sweep', 'fee', 'reversal'] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A new accounting entry. */
export interface Movement {
  readonly kind: MovementKind;
  /** Atoms: positive for incoming money, negative for outgoing money. */
  readonly amount: bigint;
  /** The output that it records; null where it records a spending transaction as a whole. */
  readonly vout: number | null;
  readonly paymentId: string | null;
  readonly sendId: string | null;
  readonly address: string | null;
  readonly note: string | null;
}

/** An entry that has not been reversed since it was written. */
export interface UnreversedMovement extends Movement {
  readonly seq: number;
}

/** An output of a transaction that paid a merchant. */
export interface PaidOutput {
  readonly vout: number;
  readonly amount: bigint;
  readonly isConfirmed: boolean;
  /** Null for the merchant's own: wallet, change and remainder. */
  readonly paymentId: string | null;
  readonly address: string;
}

/** A confirmed output of a merchant that a transaction in a block spends. */
export interface SpentOutput {
  readonly amount: bigint;
  readonly paymentId: string | null;
}

/** The send that signed the transaction. */
export interface MovedSend {
  readonly id: string;
  readonly purpose: 'send' | 'sweep';
  readonly destination: string;
  /** What each of several recipients receives; null where there is one. */
  readonly outputs: readonly SendOutput[] | null;
  readonly fee: bigint;
  /** Whether the block paid the destination: false if the send was cancelled or failed. */
  readonly isPaid: boolean;
  readonly cancels: boolean;
  /** The payment it refunds. */
  readonly refundOf: string | null;
  readonly note: string | null;
}

/** What the ledger knows of one transaction and one merchant. */
export interface LedgerTransaction {
  readonly outputs: readonly PaidOutput[];
  readonly spent: readonly SpentOutput[];
  /** Null when tilld did not sign it. */
  readonly send: MovedSend | null;
  /** Its entries that are not reversed. */
  readonly unreversed: readonly UnreversedMovement[];
}

/** The changes that make the accounting entries agree with the ledger. */
export interface BookChange {
  readonly takenBack: readonly UnreversedMovement[];
  readonly made: readonly Movement[];
}

const IN_WALLET = 'received in the wallet';
const FOREIGN = 'not signed here; includes its network fee';
const CANCELLED = 'cancelled: only the network fee was spent';
const FAILED = 'failed: only the network fee was spent';

/**
 * Compares the entries of a transaction with the ledger's current state. Their sum always equals the change
 * in confirmed money: confirmed outputs minus those that it spends. An entry that no longer matches is
 * reversed as a whole.
 *
 * Each payment has its own entry, and so has each external deposit to the wallet. The outputs that a
 * merchant's transaction spends and its change or remainder become one sum: the amount sent, and the fee.
 */
export function bookChange(transaction: LedgerTransaction): BookChange {
  const { unreversed } = transaction;
  const takenBack: UnreversedMovement[] = [];
  const made: Movement[] = [];
  const reconcile = (before: readonly UnreversedMovement[], wanted: readonly Movement[]): void => {
    if (before.length > 0 === wanted.length > 0 && sumAmounts(before) === sumAmounts(wanted)) return;
    takenBack.push(...before);
    made.push(...wanted);
  };
  const received = receipts(transaction);
  const vouts = new Set([...unreversed, ...received].flatMap(({ vout }) => (vout === null ? [] : [vout])));
  for (const each of vouts) {
    const isAbout = ({ vout }: Movement): boolean => vout === each;
    reconcile(unreversed.filter(isAbout), received.filter(isAbout));
  }
  reconcile(
    unreversed.filter(({ vout }) => vout === null),
    spending(transaction),
  );
  return { takenBack, made };
}

/** The entry that reverses another one. */
export function reverseMovement(movement: Movement): Movement {
  return {
    ...movement,
    kind: 'reversal',
    amount: -movement.amount,
    note: `${movement.kind} reversed by the chain`,
  };
}

function receipts({ outputs, spent }: LedgerTransaction): Movement[] {
  return outputs.flatMap(({ vout, amount, isConfirmed, paymentId, address }): Movement[] => {
    const isOwnChange = paymentId === null && spent.length > 0;
    if (!isConfirmed || isOwnChange || amount === 0n) return [];
    const note = paymentId === null ? IN_WALLET : null;
    return [{ kind: 'payment', amount, vout, paymentId, sendId: null, address, note }];
  });
}

function spending({ outputs, spent, send }: LedgerTransaction): Movement[] {
  if (spent.length === 0) return [];
  const back = outputs.filter(({ isConfirmed, paymentId }) => isConfirmed && paymentId === null);
  const net = sumAmounts(back) - sumAmounts(spent);
  if (send === null) {
    const nothing = { vout: null, paymentId: null, sendId: null, address: null };
    return [{ ...nothing, kind: net > 0n ? 'payment' : 'send', amount: net, note: FOREIGN }];
  }
  const { id: sendId, fee, isPaid } = send;
  const paymentId = send.refundOf ?? (send.purpose === 'sweep' ? solePayment(spent) : null);
  const fields = { vout: null, paymentId, sendId };
  const amount = net + fee;
  const kind = sendKind(send);
  const moved = splitMoved(send, amount).map((part) => ({ ...fields, ...part, kind, note: send.note }));
  const why = send.cancels ? CANCELLED : FAILED;
  const paid: Movement = { ...fields, kind: 'fee', amount: -fee, address: null, note: isPaid ? null : why };
  return [...(isPaid || amount !== 0n ? moved : []), ...(fee === 0n ? [] : [paid])];
}

/** One entry for each recipient, unless the amounts differ from what left: the send paid the wallet as well. */
function splitMoved(
  { destination, outputs, isPaid }: MovedSend,
  amount: bigint,
): Pick<Movement, 'amount' | 'address'>[] {
  if (!isPaid || outputs === null || sumAmounts(outputs) !== -amount)
    return [{ amount, address: destination }];
  return outputs.map((output) => ({ amount: -output.amount, address: output.destination }));
}

function sendKind({ purpose, refundOf }: MovedSend): MovementKind {
  switch (purpose) {
    case 'sweep':
      return 'sweep';
    case 'send':
      return refundOf === null ? 'send' : 'refund';
    default:
      return assertNever(purpose);
  }
}

/** The payment that received all of this money, if there is exactly one. */
function solePayment(spent: readonly SpentOutput[]): string | null {
  const payments = new Set(spent.map(({ paymentId }) => paymentId));
  const [only = null] = payments;
  return payments.size === 1 ? only : null;
}

function sumAmounts(parts: readonly { readonly amount: bigint }[]): bigint {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}
