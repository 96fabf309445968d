import type { OutputRef } from '../../../domain/chain.ts';

/**
 * The name of money that only a balance showed: the block whose state it was found in, and the
 * account. The same block gives the same name again; another block in its place another one.
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

/** Null for the id of a real transaction. */
export function parseBalanceCreditTxid(txid: string): BalanceCredit | null {
  const match = FORM.exec(txid);
  if (match === null) return null;
  const [, height = '', blockHash = '', watchKey = ''] = match;
  return { height: Number(height), blockHash, watchKey };
}

/** What was found in the payer's favour, and what the account had before anybody was told its address. */
export const BALANCE_CREDIT_INDEX = 0;
export const EARLIER_INDEX = 1;

/** Whether a balance alone showed this money of a payer, in a block above a height. */
export function isFoundAbove(ref: OutputRef, height: number): boolean {
  const found = ref.index === BALANCE_CREDIT_INDEX ? parseBalanceCreditTxid(ref.txid) : null;
  return found !== null && found.height > height;
}

/** Whether a credit is an internal transfer, by whichever name. */
export function isInternal(ref: OutputRef): boolean {
  return ref.index > 0 || parseBalanceCreditTxid(ref.txid) !== null;
}
