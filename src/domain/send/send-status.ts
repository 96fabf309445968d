import type { SendState } from './types.ts';

type Phase = Pick<SendState, 'status' | 'height'>;

/** Errors of a send that a block ended. */
export const CANCELLED = 'cancelled: a replacement that returns the money to the wallet was mined';
export const DISPLACED =
  'another transaction spent the coins of this send, or of a send whose change it spends';
export const REVERTED = 'the send reverted on chain; only the network fee was spent';

/** Whether it is signed and neither confirmed nor failed. */
export function isOpen({ status }: Pick<Phase, 'status'>): boolean {
  return status === 'queued' || status === 'signed' || status === 'broadcast';
}

/** Whether no version of it is signed yet. */
export function isUnsigned({ status }: Pick<Phase, 'status'>): boolean {
  return status === 'preparing' || status === 'awaiting_signature';
}

/** Whether a block executed or cancelled it without paying, and that block may still be reorganised away. */
export function isReverted({ status, height }: Phase): boolean {
  return status === 'broadcast' && height !== null;
}

/**
 * Whether it failed because a block executed it without paying, cancelled it or double-spent its coins: a
 * reorg may undo that.
 */
export function isEndedByBlock({ status, error }: Pick<SendState, 'status' | 'error'>): boolean {
  const isDisplaced = error?.startsWith(DISPLACED) === true;
  return status === 'failed' && (isDisplaced || error === CANCELLED || error === REVERTED);
}

/** Whether it is open and no block holds any of its versions. */
export function awaitsBlock(send: Phase): boolean {
  return isOpen(send) && !isReverted(send);
}

/** Whether a fee bump may still be signed for it: no block contains it, and it has not failed. */
export function canCostMore(send: Phase): boolean {
  return send.status === 'preparing' || awaitsBlock(send);
}
