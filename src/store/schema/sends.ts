import type { Generated } from 'kysely';
import type { Coin, Mode } from '../../domain/coins.ts';
import type { StoredSendStatus } from '../../domain/send/types.ts';
import type { Flag } from './flag.ts';

export interface SendRow {
  id: string;
  merchant_id: string;
  coin: Coin;
  mode: Mode;
  /** `sweep`: moves a deposit to the merchant address; not ordered by a merchant, and without events. */
  purpose: 'send' | 'sweep';
  /** On account chains: the sending address and its nonce. */
  lane: string | null;
  nonce: number | null;
  destination: string;
  subtract_fee: Flag;
  /** The amount as ordered; with subtract_fee more than the destination receives. */
  ordered: string;
  /** The amount that the destination receives. */
  amount: string;
  fee: string;
  status: StoredSendStatus;
  /** Null while it is `preparing`, and for one that failed then. */
  txid: string | null;
  /** 0: no version is signed. */
  version: number;
  height: number | null;
  error: string | null;
  idempotency_key: string | null;
  created_at: number;
  updated_at: number;
  next_broadcast_at: number | null;
  /** Broadcasts of the newest version with a recorded outcome. */
  broadcasts: number;
  /** Transaction of the last send.broadcast event. */
  announced_txid: string | null;
  /** Transaction of the last send.confirmed event. */
  confirmed_txid: string | null;
  /** `amount: "max"`: the whole spendable balance was ordered. */
  everything: Generated<Flag>;
  /** Fee budget, atoms: no version costs more; with parts, the budget of all transactions together. */
  max_fee: string;
  /**
   * The send whose budget this one's fee also counts against: the one that a part gathers outputs for, or
   * that a child pays for. That send itself draws on no other. Null: none.
   */
  draws_on: string | null;
  /** The version of that send which must be mined for this one; null: any. */
  draws_on_version: number | null;
  /** Since when a fee bump has waited because it would exceed the budget, ms; null: none waits. */
  fee_limited_at: number | null;
  note: string | null;
  /** The block since which the chain proves that no version of it can be mined; null while one can. */
  displaced_height: number | null;
  /** Where a send draws on accounts: the merchant address, if the send draws on it or pays into it. */
  queue_account: string | null;
  /** Its position among all sends of that address, from 1. */
  queue_position: number | null;
  /**
   * Signed, and held until the sends before it have landed: no node has received its bytes. Status `signed`.
   */
  queued: Generated<Flag>;
  /** Since when no money covers re-signing it after it expired, ms; null: none is missing. */
  unfunded_since: number | null;
  /** The send that this move within the wallet gathers outputs for. */
  part_of: string | null;
  /**
   * For a send that gathers its outputs by parts: how many are planned, how many are in blocks, and their
   * cost, atoms.
   */
  parts: Generated<number>;
  parts_confirmed: Generated<number>;
  parts_fee: Generated<string>;
  /** The ordered fee rate of its transactions, atoms per 1,000 vB; null: the node's. */
  ordered_rate: string | null;
}

/** The signed bytes of a send: version 1 and one more for each fee bump. */
export interface SendVersionRow {
  send_id: string;
  version: number;
  coin: Coin;
  mode: Mode;
  txid: string;
  raw: string;
  fee: string;
  fee_rate: string;
  plan_json: string;
  created_at: number;
  /** Index of the output that returns to the wallet; null where there is none, or in rows of older versions. */
  change_index: number | null;
  /** Pays everything back to the wallet instead of the destination. */
  cancels: Generated<Flag>;
  /** Its change of the balance of the send's `queue_account`, atoms; null without one. */
  balance_change: string | null;
}
