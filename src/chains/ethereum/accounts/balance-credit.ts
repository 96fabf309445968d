import type { OutputRef } from '../../../domain/chain.ts';

/**
 * Identifies money that only a balance revealed, by the account and the block whose state showed it. The same
 * block yields the same id; a replacement block yields another.
 */
export interface BalanceCredit {
  readonly height: number;
  readonly blockHash: string;
  readonly watchKey: string;
}

const FORM = /^balance:(\d+):(0x[0-9a-f]{64}):(0x[0-9a-f]{40})$/;

export function balanceCreditTxid({ height, blockHash, watchKey }: BalanceCredit): string {
  return `balance:${height}:${blockHash}:${watchKey}`;
}

/** Parses such an id; null for the id of a real transaction. */
export function parseBalanceCreditTxid(txid: string): BalanceCredit | null {
  const match = FORM.exec(txid);
  if (match === null) return null;
  const [, height = '', blockHash = '', watchKey = ''] = match;
  return { height: Number(height), blockHash, watchKey };
}

/**
 * Output indexes: money credited to the payer, and money that the account held before its address was issued.
 */
export const BALANCE_CREDIT_INDEX = 0;
export const EARLIER_INDEX = 1;

/** Whether this is a payer's money that only a balance revealed, in a block above a height. */
export function isBalanceCreditAbove(ref: OutputRef, height: number): boolean {
  const found = ref.index === BALANCE_CREDIT_INDEX ? parseBalanceCreditTxid(ref.txid) : null;
  return found !== null && found.height > height;
}

/** Whether a credit is an internal transfer, identified by a trace or by a balance. */
export function isInternal(ref: OutputRef): boolean {
  return ref.index > 0 || parseBalanceCreditTxid(ref.txid) !== null;
}
