import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { ApprovalKind, ApprovalStatus } from '../../domain/send/approval.ts';
import type { ForwardProblem } from '../../domain/send/forward.ts';
import type { SendReason, StoredSendStatus } from '../../domain/send/types.ts';
import type { CreatorColumns } from './creator.ts';

/** The creator is who ordered it; null for moves within the wallet. */
export interface SendRow extends CreatorColumns {
  id: string;
  merchantId: string;
  coin: Coin;
  mode: Mode;
  /** `sweep`: moves a deposit to the merchant address; not ordered by a merchant, and without events. */
  purpose: 'send' | 'sweep';
  /** On account chains: the sending address and its nonce. */
  lane: string | null;
  nonce: number | null;
  /** The recipient; the first one where there are several. */
  destination: string;
  subtractFee: boolean;
  /** The amount as ordered; with subtract_fee more than the destination receives. */
  ordered: string;
  /** The amount that the destination receives; all of them together. */
  amount: string;
  fee: string;
  status: StoredSendStatus;
  /** Null while it is `preparing`, and for one that failed then. */
  txid: string | null;
  /** 0: no version is signed. */
  version: number;
  height: number | null;
  error: string | null;
  idempotencyKey: string | null;
  createdAt: number;
  updatedAt: number;
  nextBroadcastAt: number | null;
  /** Broadcasts of the newest version with a recorded outcome. */
  broadcasts: number;
  /** Transaction of the last send.broadcast event. */
  announcedTxid: string | null;
  /** Transaction of the last send.confirmed event. */
  confirmedTxid: string | null;
  /** `amount: "max"`: the whole spendable balance was ordered. */
  everything: Generated<boolean>;
  /** Fee budget, atoms: no version costs more; with parts, the budget of all transactions together. */
  maxFee: string;
  /**
   * The send whose budget this one's fee also counts against: the one that a part gathers outputs for, or
   * that a child pays for. That send itself draws on no other. Null: none.
   */
  drawsOn: string | null;
  /** The version of that send which must be mined for this one; null: any. */
  drawsOnVersion: number | null;
  /** Since when a fee bump has waited because it would exceed the budget, ms; null: none waits. */
  feeLimitedAt: number | null;
  note: string | null;
  /** The block since which the chain proves that no version of it can be mined; null while one can. */
  displacedHeight: number | null;
  /** Where a send draws on accounts: the merchant address, if the send draws on it or pays into it. */
  queueAccount: string | null;
  /** Its position among all sends of that address, from 1. */
  queuePosition: number | null;
  /**
   * Signed, and held until the sends before it have landed: no node has received its bytes. Status `signed`.
   */
  queued: Generated<boolean>;
  /** Since when no money covers re-signing it after it expired, ms; null: none is missing. */
  unfundedSince: number | null;
  /** The send that this move within the wallet gathers outputs for. */
  partOf: string | null;
  /**
   * For a send that gathers its outputs by parts: how many are planned, how many are in blocks, and their
   * cost, atoms.
   */
  parts: Generated<number>;
  partsConfirmed: Generated<number>;
  partsFee: Generated<string>;
  /** The atoms that count against limits; null for moves within the wallet, and for sends older than this column. */
  leaving: string | null;
  /** Their value when it was stored, in minor units by currency: {"USD":"12345"}; null: none is known. */
  valuesJson: string | null;
  /** The ordered fee rate of its transactions, atoms per 1,000 vB; null: the node's. */
  orderedRate: string | null;
  /** Why it was made without an order; null: it was ordered, or moves money within the wallet. */
  reason: SendReason | null;
  /** Where it pays several recipients: [{destination, amount}] as ordered, atoms; null: one. */
  outputsJson: string | null;
  /** Its inputs were chosen: no version spends others. */
  coinControl: Generated<boolean>;
  /** The fee limit and the fee rate that it was ordered with, as text; null: unknown, or not ordered. */
  feeTermsJson: string | null;
  /** From a watched account (`send_psbts`), whose wallet signs it: while its status is `preparing`, it has to. */
  byPsbt: Generated<boolean>;
  /** The id of that account; null: it is from the wallet of the till. */
  watchId: Generated<string | null>;
}

/** The PSBT of a send from a watched account. */
export interface SendPsbtRow {
  sendId: string;
  coin: Coin;
  mode: Mode;
  /** That of the signed transaction: signatures are not part of it. */
  txid: string;
  /** The watched account. */
  accountNumber: number;
  /** With the signatures so far, base64; null once it is signed, or ended. */
  psbt: string | null;
  /** Signatures that each input needs, and those that the input with the fewest has. */
  required: number;
  collected: number;
  planJson: string;
  changeIndex: number | null;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  /** When it is checked whether it may end; later than its expiry while its transaction may be on its way. */
  checkAt: number;
}

/** The signed bytes of a send: version 1 and one more for each fee bump. */
export interface SendVersionRow {
  sendId: string;
  version: number;
  coin: Coin;
  mode: Mode;
  txid: string;
  raw: string;
  fee: string;
  feeRate: string;
  planJson: string;
  createdAt: number;
  /** Index of the output that returns to the wallet; null where there is none, or in rows of older versions. */
  changeIndex: number | null;
  /** Pays everything back to the wallet instead of the destination. */
  cancels: Generated<boolean>;
  /** Its change of the balance of the send's `queue_account`, atoms; null without one. */
  balanceChange: string | null;
}

/** A send that waits for an approval, or waited. */
export interface SendApprovalRow extends CreatorColumns {
  /** That of the send, once it is approved. */
  id: string;
  merchantId: string;
  coin: Coin;
  mode: Mode;
  kind: ApprovalKind;
  destination: string;
  subtractFee: boolean;
  /** Atoms, as of a send: the approved send has the same. */
  ordered: string;
  /** Atoms, as planned when it was ordered. */
  amount: string;
  fee: string;
  maxFee: string;
  note: string | null;
  /** As of a send. */
  outputsJson: string | null;
  /** As of a send: decided when it was ordered. */
  watchId: Generated<string | null>;
  /** The request, from which the send is made. */
  requestJson: string;
  /** Why it needs an approval: a JSON array. */
  reasonsJson: string;
  paymentId: string | null;
  linkId: string | null;
  claimId: string | null;
  /** The user who ordered it, or created the key that did; null: unknown. */
  askerId: string | null;
  status: ApprovalStatus;
  idempotencyKey: string | null;
  createdAt: number;
  updatedAt: number;
  expiresAt: number;
  /** The user who decided it; null: it is pending, or expired. */
  decidedBy: string | null;
}

/** The limits of a shop; see domain/send/limit-change.ts. */
export interface WalletLimitsRow {
  merchantId: string;
  limitsJson: string;
  /** 0: the owner vouches for them; later: from then on. Null: they are those of an older copy of the database. */
  confirmedAt: number | null;
  updatedAt: number;
}

/** The rule by which coins of a shop are forwarded to cold storage; see domain/send/forward.ts. */
export interface WalletForwardRow {
  id: string;
  merchantId: string;
  coin: Coin;
  mode: Mode;
  destination: string | null;
  /** Atoms. */
  keep: string;
  threshold: string;
  intervalMs: number;
  active: boolean;
  pendingId: string | null;
  pendingDestination: string | null;
  pendingAt: number | null;
  runs: number;
  lastRunAt: number | null;
  lastSendId: string | null;
  problem: ForwardProblem | null;
  problemMessage: string | null;
  createdAt: number;
  updatedAt: number;
}

/** The next unused address of a descriptor, for all shops together. */
export interface ForwardCounterRow {
  coin: Coin;
  mode: Mode;
  descriptor: string;
  nextIndex: number;
}

/** A wallet whose sends are frozen. */
export interface WalletFreezeRow {
  /** A merchant's id, or `all` for every wallet of this server. */
  subject: string;
  frozenAt: number;
  /** The name of who froze it: an email address, a key, or the operator. */
  frozenBy: string;
  reason: string | null;
}
