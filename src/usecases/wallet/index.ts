/** The wallet: balances, outputs, sends and their lifecycle, fee bumps, sweeps and consolidation. */
export { freezeOutputs } from './freeze-outputs.ts';
export {
  freezeByOperator,
  type FreezeDeps,
  type FreezeView,
  freezeWallet,
  getFreeze,
  unfreezeByOperator,
  unfreezeWallet,
} from './freeze-wallet.ts';
export { confirmedBalance, getBalances } from './get-balances.ts';
export { getWalletAddresses } from './get-wallet-addresses.ts';
export { advanceSends } from './lifecycle/advance-sends.ts';
export { bumpSends, type BumpSendsDeps } from './lifecycle/bump-sends.ts';
export { fillNonceGaps } from './lifecycle/fill-nonce-gaps.ts';
export { examineSends, type ExamineSendsDeps, type SendFinding } from './lifecycle/examine-sends.ts';
export { failDisplacedSends } from './lifecycle/fail-displaced-sends.ts';
export { failReverted, type FailRevertedDeps } from './lifecycle/fail-reverted.ts';
export { findConflicts } from './lifecycle/find-conflicts.ts';
export { InFlightSends } from './lifecycle/in-flight-sends.ts';
export { confirmUnpaid } from './lifecycle/possibly-paid.ts';
export { markRestored } from './lifecycle/mark-restored.ts';
export { prepareSends } from './lifecycle/prepare-sends.ts';
export { provenBlockHash } from './lifecycle/proven-block-hash.ts';
export { confirmSends, recordUnconfirmedSpends, unconfirmSends } from './lifecycle/record-spends.ts';
export { releaseQueued } from './lifecycle/release-queued.ts';
export { RetryBackoff } from './lifecycle/retry-backoff.ts';
export { readPlan } from './lifecycle/stored-plan.ts';
export { expireUnsigned } from './lifecycle/unsigned-sends.ts';
export { listOutputs } from './list-outputs.ts';
export { listWalletTransactions } from './list-wallet-transactions.ts';
export { bumpSend } from './send/bump-send.ts';
export { cancelSend } from './send/cancel-send.ts';
export { ensureRates } from './send/ensure-rates.ts';
export { estimateFee } from './send/estimate-fee.ts';
export { readMaxFee } from './send/fee-terms.ts';
export { getSend } from './send/get-send.ts';
export { planOrder, sumPlan } from './send/plan-order.ts';
export { quoteFee } from './send/quote-fee.ts';
export { emitApprovalEvent, viewHeldSend } from './send/held-send.ts';
export type { Approve, SendCoinsDeps, SendRequest } from './send/make-send.ts';
export { sendOrHold } from './send/send-or-hold.ts';
export { submitPsbt } from './send/submit-psbt.ts';
export { sendApproved, sendCoins } from './send/send-coins.ts';
export { HELD_STATUSES, type SendView } from './send/send-view.ts';
export { chainFor, EVERYTHING, MAX_SEND_INPUTS, readAmount, type SendOrder } from './send/send-order.ts';
export { dropPendingLimits, editLimits, type LimitsDeps, readLimits, viewAmount } from './wallet-limits.ts';
export { OUTPUT_HOLDS } from './output-hold.ts';
export { skipUsedAddresses } from './skip-used-addresses.ts';
export { consolidateRound } from './sweep/consolidate-rounds.ts';
export { consolidate } from './sweep/consolidate.ts';
export { consolidateAccounts } from './sweep/consolidate-accounts.ts';
export { createSweepBackoff } from './sweep/sweep-backoff.ts';
export { sweepDeposits, type SweepDepositsDeps } from './sweep/sweep-deposits.ts';
