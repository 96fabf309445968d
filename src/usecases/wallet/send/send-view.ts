import type { Coin } from '../../../domain/coins.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { isoTime } from '../../../domain/iso-time.ts';
import { splitAmount } from '../../../domain/send/outputs.ts';
import { canCostMore, isReverted } from '../../../domain/send/send-status.ts';
import { readOutputs } from '../../../store/sends/send-outputs.ts';
import type { StoredPsbt } from '../../../store/sends/send-psbts.ts';
import { sendStatus } from '../../../store/sends/send-status.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { ApprovalReason } from '../../../domain/send/spending-limits.ts';
import { OWN_WALLET } from './watched-account.ts';
import type { SendReason, SendStatus } from '../../../domain/send/types.ts';

/** States of a send that needs an approval: nothing is signed for it. */
export const HELD_STATUSES = ['pending_approval', 'rejected', 'expired'] as const;

/** A send as the API and its events present it. */
export interface SendView {
  readonly id: string;
  readonly status: SendStatus | (typeof HELD_STATUSES)[number];
  readonly coin: Coin;
  readonly sandbox: boolean;
  /** `own`, or the id of the watched account that it is from. */
  readonly from: string;
  /** Transaction hash: of the confirmed version, else of the newest; null until it is signed. */
  readonly txHash: string | null;
  /** Network fee in the coin's unit, including its parts; an estimate while it is `preparing`. */
  readonly fee: string;
  /** The amount that the destination receives, in the coin's unit; all of them together where there are several. */
  readonly amount: string;
  /** The first one where there are several. */
  readonly destination: string;
  /** Several recipients and what each receives; null where there is one. */
  readonly outputs: SendOutputView[] | null;
  readonly subtractFee: boolean;
  readonly confirmations: number;
  /** The transactions that gather its outputs; null where one transaction is enough. */
  readonly parts: { readonly total: number; readonly confirmed: number } | null;
  /** Why it failed; null otherwise. */
  readonly error: string | null;
  readonly note: string | null;
  /** Why it was made without an order; null: it was ordered. */
  readonly reason: SendReason | null;
  /** Fee budget, including bumps, renewals and its cancellation, in the coin's unit. */
  readonly maxFee: string;
  /** A fee bump waits because it would exceed the budget. */
  readonly feeLimited: boolean;
  /** Its newest version pays everything back to the wallet; the network may mine either. */
  readonly cancelling: boolean;
  /** Of a send that waits for signatures: the PSBT with those it has, base64; null in lists and events. */
  readonly psbt: string | null;
  /** How many signatures it needs and has; null where it waits for none. */
  readonly signatures: { readonly required: number; readonly collected: number } | null;
  /** Until when it can be approved, or signed; null where it waits for neither. */
  readonly expiresAt: string | null;
  readonly approvalReasons: ApprovalReason[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface SendOutputView {
  readonly destination: string;
  readonly amount: string;
}

/** What each of several recipients receives; null where there is one. */
export function viewOutputs(
  send: Pick<StoredSend, 'coin' | 'destination' | 'amount' | 'outputsJson'>,
): SendOutputView[] | null {
  const outputs = readOutputs(send);
  if (outputs === null) return null;
  return splitAmount(outputs, BigInt(send.amount)).map(({ destination, amount }) => ({
    destination,
    amount: formatCoinAmount(amount, send.coin),
  }));
}

/** `tip`: the last recorded block of its chain. */
export function viewSend(
  send: StoredSend,
  tip: { readonly height: number } | undefined,
  {
    cancelling = false,
    unsigned,
  }: { readonly cancelling?: boolean; readonly unsigned?: StoredPsbt | undefined } = {},
): SendView {
  return {
    id: send.id,
    status: sendStatus(send),
    coin: send.coin,
    sandbox: send.mode === 'sandbox',
    from: send.watchId ?? OWN_WALLET,
    txHash: send.txid,
    fee: formatCoinAmount(BigInt(send.fee) + BigInt(send.partsFee), send.coin),
    amount: formatCoinAmount(BigInt(send.amount), send.coin),
    destination: send.destination,
    outputs: viewOutputs(send),
    subtractFee: send.subtractFee,
    // A block that includes it reverted confirms no payment.
    confirmations:
      send.height === null || isReverted(send) ? 0 : Math.max(1, (tip?.height ?? 0) - send.height + 1),
    parts: send.parts === 0 ? null : { total: send.parts, confirmed: send.partsConfirmed },
    error: send.error,
    note: send.note,
    reason: send.reason,
    maxFee: formatCoinAmount(BigInt(send.maxFee), send.coin),
    feeLimited: canCostMore(send) && send.feeLimitedAt !== null,
    cancelling,
    psbt: unsigned?.psbt ?? null,
    signatures:
      unsigned === undefined ? null : { required: unsigned.required, collected: unsigned.collected },
    expiresAt: unsigned === undefined ? null : isoTime(unsigned.expiresAt),
    approvalReasons: [],
    createdAt: new Date(send.createdAt).toISOString(),
    updatedAt: new Date(send.updatedAt).toISOString(),
  };
}
