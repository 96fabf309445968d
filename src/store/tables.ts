import type { Generated } from 'kysely';
import type { RecurringInterval } from '../domain/catalog.ts';
import type { Coin, Mode } from '../domain/coins.ts';
import type { Finality } from '../domain/confirmations.ts';
import type { VerificationMethod } from '../domain/domain-verification.ts';
import type { CreditState, LatePolicy, PaymentException, PaymentStatus } from '../domain/payment/types.ts';
import type { EventType } from '../domain/events.ts';

/**
 * Row types of every table. Conventions: times are integer milliseconds, flags 0 or 1, atoms are
 * decimal strings (wei do not fit 64 bits), `*_json` holds JSON text, `*_sealed` AES-GCM text.
 */
export interface Tables {
  meta: { key: string; value: string };
  users: UserRow;
  account_tokens: AccountTokenRow;
  second_factors: SecondFactorRow;
  recovery_codes: RecoveryCodeRow;
  known_networks: KnownNetworkRow;
  mails: MailRow;
  merchants: MerchantRow;
  domain_checks: DomainCheckRow;
  api_keys: ApiKeyRow;
  customers: CustomerRow;
  products: ProductRow;
  prices: PriceRow;
  addresses: AddressRow;
  address_counters: AddressCounterRow;
  payments: PaymentRow;
  payment_counts: PaymentCountRow;
  payment_day_counts: PaymentCountRow & { day: number };
  /** How many outputs there are, gone ones too; kept by triggers. */
  output_counts: { merchant_id: string; mode: Mode; coin: Coin; count: number };
  event_counts: { merchant_id: string; type: EventType; count: number };
  /** Kept by triggers: how many there are, and how often one was moved, renamed or deleted. */
  customer_counts: { user_id: string; count: number };
  payment_options: PaymentOptionRow;
  outputs: OutputRow;
  volume_totals: VolumeTotalRow;
  raw_transactions: RawTransactionRow;
  unconfirmed_inputs: UnconfirmedInputRow;
  chain_cursors: ChainCursorRow;
  chain_blocks: ChainBlockRow;
  chain_gaps: ChainGapRow;
  events: EventRow;
  deliveries: DeliveryRow;
  webhook_logs: WebhookLogRow;
  /** How many logs there are and their bytes, kept by triggers by the day of UTC they were written. */
  webhook_log_counts: { merchant_id: string; day: number; status: number; count: number; bytes: number };
  gone_endpoints: GoneEndpointRow;
  sends: SendRow;
  send_versions: SendVersionRow;
  /** Outputs that the merchant wants left where they are. */
  frozen_outputs: { coin: Coin; mode: Mode; txid: string; vout: number; frozen_at: number };
  /** The last fee rate told by a node, and what spending one output costs at it, atoms. */
  fee_levels: { coin: Coin; mode: Mode; rate: string; input_cost: string; at: number };
  refunds: RefundRow;
  idempotency: IdempotencyRow;
  sim_blocks: SimBlockRow;
  sim_transactions: SimTransactionRow;
  sim_spends: SimSpendRow;
}

export type Flag = 0 | 1;

export interface UserRow {
  id: string;
  email: string;
  email_key: string;
  password_hash: string;
  is_verified: Flag;
  token_version: number;
  created_at: number;
  updated_at: number;
}

/** A link that was mailed. Only the newest of each purpose counts. */
export interface AccountTokenRow {
  user_id: string;
  purpose: 'verify-email' | 'reset-password';
  /** SHA-256 of the token; the token itself is only in the mail. */
  token_hash: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
}

export interface SecondFactorRow {
  user_id: string;
  secret_sealed: string;
  /** Null while the set-up waits for its first code. */
  enabled_at: number | null;
  /** Newest TOTP step that was accepted; that one and older ones are refused. */
  last_step: number;
  created_at: number;
}

export interface RecoveryCodeRow {
  user_id: string;
  code_hash: string;
  used_at: number | null;
}

/** A network its user has signed in from, kept as a hash. */
export interface KnownNetworkRow {
  user_id: string;
  network_hash: string;
  last_used_at: number;
}

export interface MailRow {
  id: string;
  user_id: string;
  kind: 'verify-email' | 'reset-password' | 'notice';
  state: 'pending' | 'sent' | 'failed';
  /** The whole message, sealed because it holds a token; erased once settled. */
  body_sealed: string | null;
  attempts: number;
  next_attempt_at: number;
  /** From when on the mail would be of no use. */
  expires_at: number;
  last_error: string | null;
  created_at: number;
  updated_at: number;
}

export interface MerchantRow {
  id: string;
  user_id: string;
  account: number;
  name: string;
  description: string | null;
  domain: string;
  domain_token: string;
  domain_verified_at: number | null;
  webhook_url: string | null;
  webhook_secret_sealed: string;
  /** The secret before the last rotation, still used for signing until the time beside it. */
  webhook_old_secret_sealed: string | null;
  webhook_old_secret_until: number | null;
  sandbox: Flag;
  payment_lifetime_minutes: number;
  tolerance_bps: number;
  late_policy: LatePolicy;
  created_at: number;
  updated_at: number;
}

/** Exists once the merchant has chosen how to verify its domain; see DomainState. */
export interface DomainCheckRow {
  merchant_id: string;
  method: VerificationMethod;
  proven_method: VerificationMethod | null;
  chosen_at: number;
  revoked_at: number | null;
  checked_at: number | null;
  last_error: string | null;
  failures: number;
  failed_since: number | null;
  next_check_at: number | null;
}

export interface ApiKeyRow {
  id: string;
  merchant_id: string;
  kind: 'public' | 'secret';
  key_hash: string;
  /** The whole key for public keys; null for secret ones. */
  public_value: string | null;
  prefix: string;
  last_four: string;
  created_at: number;
  /** End of the grace period after a regeneration; null while it is the current key. */
  expires_at: number | null;
  last_used_at: number | null;
}

export interface CustomerRow {
  id: string;
  user_id: string;
  email: string;
  email_key: string;
  metadata_json: string;
  created_at: number;
  updated_at: number;
}

export interface ProductRow {
  id: string;
  user_id: string;
  name: string;
  description: string | null;
  recurring: Flag;
  /** Set exactly when it is recurring. */
  recurring_interval: RecurringInterval | null;
  active: Flag;
  created_at: number;
  updated_at: number;
  /** Deleted rows stay, because payments refer to them, and are found no more. */
  deleted_at: number | null;
}

export interface PriceRow {
  id: string;
  user_id: string;
  product_id: string;
  /** Decimal string in the currency's unit, as the merchant wrote it. */
  amount: string;
  currency: string;
  active: Flag;
  created_at: number;
  updated_at: number;
  /** Set too when its product is deleted. */
  deleted_at: number | null;
}

export interface AddressRow {
  id: Generated<number>;
  merchant_id: string;
  coin: Coin;
  mode: Mode;
  branch: 0 | 1;
  idx: number;
  address: string;
  watch_key: string;
  /** `recovered`: may have been given out after the backup that was restored; watched, never given out again. */
  purpose: 'wallet' | 'payment' | 'change' | 'recovered';
  payment_id: string | null;
  created_at: number;
}

export interface AddressCounterRow {
  merchant_id: string;
  coin: Coin;
  mode: Mode;
  branch: 0 | 1;
  next_index: number;
}

export interface PaymentRow {
  id: string;
  merchant_id: string;
  customer_id: string;
  order_id: string;
  mode: Mode;
  status: PaymentStatus;
  exception: PaymentException | null;
  amount: string;
  currency: string;
  product_id: string | null;
  price_id: string | null;
  metadata_json: string | null;
  custom_fields_json: string | null;
  webhook_url: string | null;
  success_url: string | null;
  return_url: string | null;
  allowed_cryptos_json: string;
  /** The coins it is offered in, one bit each (COIN_BITS of payments.ts): what lists filter by. */
  offered: Generated<number>;
  tolerance_bps: number;
  late_policy: LatePolicy;
  /** SHA-256 of the creating request, to tell a repeat from a different order with the same id. */
  request_hash: string;
  /** Number of events told about this payment so far. */
  sequence: number;
  created_at: number;
  expires_at: number;
  updated_at: number;
  /** When its time was found to be up on every chain. */
  closed_at: number | null;
  cancelled_at: number | null;
  accepted_at: number | null;
  refunded_at: number | null;
  /** Whose word that is: the merchant's, or the sum of its refunds. */
  refunded_by: 'merchant' | 'refunds' | null;
  /** Atoms per coin that the merchant accepted: {"BTC":"40000000"}. */
  accepted_json: string | null;
  /** The most settled money that payment.overpaid was emitted for, as a share of the price: `numerator/denominator`. */
  excess_told: string | null;
}

/** How many payments are alike in what lists and metrics count by, in all and by UTC day (since 1970); kept by triggers. */
export interface PaymentCountRow {
  merchant_id: string;
  mode: Mode;
  status: PaymentStatus;
  offered: number;
  count: number;
}

export interface PaymentOptionRow {
  payment_id: string;
  coin: Coin;
  address_id: number;
  address: string;
  amount: string;
  rate: string;
  rate_sources_json: string;
  rate_at: number;
  required_confirmations: number;
  required_finality: Finality | null;
}

/** Every output that ever paid one of our addresses: the ledger. */
export interface OutputRow {
  /** Counts outputs in the order in which they were first written. */
  seq: Generated<number>;
  coin: Coin;
  mode: Mode;
  txid: string;
  vout: number;
  address_id: number;
  merchant_id: string;
  payment_id: string | null;
  amount: string;
  state: CreditState;
  height: number | null;
  block_hash: string | null;
  maturity: number;
  first_seen_at: number;
  late: Flag;
  late_due: string | null;
  /** Transaction that spends it, when one is known; height null while that one is unconfirmed. */
  spent_by: string | null;
  spent_height: number | null;
  /** Send that reserved it. */
  send_id: string | null;
  updated_at: number;
  /** Confirmations up to which its payment wants to hear of each; 0 of what is no payment's. */
  awaited_depth: Generated<number>;
  /** When a block was first seen to hold it, ms; kept when a reorg takes that block. */
  confirmed_at: number | null;
}

/** What completed payments made in one hour or day of UTC brought: see volume-totals.ts. */
export interface VolumeTotalRow {
  merchant_id: string;
  mode: Mode;
  /** An hour or a day. */
  period_ms: number;
  starts_at: number;
  /** Of the prices; empty for the money itself. */
  currency: string;
  /** Of a price: the only coin it was paid in; empty when there are several, or none. */
  coin: Coin | '';
  /** Prices with four decimals, money in atoms. */
  sum: string;
  payments: number;
}

export interface RawTransactionRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  raw: string;
  created_at: number;
}

/** An output that an unconfirmed payment to us spends. */
export interface UnconfirmedInputRow {
  coin: Coin;
  mode: Mode;
  txid: string;
  vout: number;
  spender: string;
  /** The transaction that made this input was unconfirmed itself when last seen. */
  parent_open: Flag;
}

export interface ChainCursorRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  /** Newest heights that the network called safe and finalized and our own blocks agree with. */
  safe_height: number | null;
  finalized_height: number | null;
  updated_at: number;
}

/** The last blocks we scanned, to find the fork point of a reorg. */
export interface ChainBlockRow {
  coin: Coin;
  mode: Mode;
  height: number;
  hash: string;
  time_ms: number;
}

/** Blocks above one height and below another that were not read, and that the scan went past. */
export interface ChainGapRow {
  coin: Coin;
  mode: Mode;
  after_height: number;
  before_height: number;
  found_at: number;
  /** The node had lost them, or an operator skipped them. */
  reason: 'lost' | 'skipped';
}

export interface EventRow {
  seq: Generated<number>;
  id: string;
  merchant_id: string;
  mode: Mode;
  type: EventType;
  payment_id: string | null;
  send_id: string | null;
  /** Counts per payment; 0 for events of no payment. */
  sequence: number;
  /** The webhook body, frozen at event time. */
  body_json: string;
  created_at: number;
}

export interface DeliveryRow {
  id: string;
  /** Also the webhook-id header: the same over retries and redeliveries. */
  event_id: string;
  event_seq: number;
  merchant_id: string;
  payment_id: string | null;
  /** Deliveries that share it go out one after the other. */
  order_key: string;
  url: string;
  /** Scheme, host and port of the url: what concurrency is bounded by. */
  /** Not only the origin: the key of its endpoint (endpointKey). */
  origin: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: number;
  lease_until: number | null;
  lease_token: string | null;
  created_at: number;
  updated_at: number;
}

export interface WebhookLogRow {
  id: string;
  delivery_id: string;
  merchant_id: string;
  payment_id: string | null;
  endpoint: string;
  /** HTTP status of the answer; 0 when none came. */
  status: number;
  attempt: number;
  duration_ms: number;
  error: string | null;
  /** Method and headers; the body is the event's. */
  request_json: string;
  response_json: string;
  /** What the row takes on disk, roughly: retention by size adds it up. */
  size_bytes: number;
  created_at: number;
}

/** Endpoints that answered 410: nothing more goes there until the merchant edits the URL. */
export interface GoneEndpointRow {
  merchant_id: string;
  /** Empty for the merchant's own URL, else the payment whose URL it is. */
  payment_id: string;
  url: string;
  created_at: number;
}

export const SEND_STATUSES = ['signed', 'broadcast', 'confirmed', 'failed'] as const;
export type SendStatus = (typeof SEND_STATUSES)[number];

export interface SendRow {
  id: string;
  merchant_id: string;
  coin: Coin;
  mode: Mode;
  /** `sweep`: moves a deposit to the merchant address; nobody ordered it and nobody is told. */
  purpose: 'send' | 'sweep';
  /** On chains of accounts: the sending address, and the sequence number it used. */
  lane: string | null;
  nonce: number | null;
  destination: string;
  subtract_fee: Flag;
  /** The amount as ordered; with subtract_fee more than the destination gets. */
  ordered: string;
  /** What the destination gets. */
  amount: string;
  fee: string;
  status: SendStatus;
  txid: string;
  version: number;
  height: number | null;
  error: string | null;
  idempotency_key: string | null;
  created_at: number;
  updated_at: number;
  next_broadcast_at: number | null;
  /** Offers of the newest version to the node whose outcome was recorded. */
  broadcasts: number;
  /** Transaction that the last send.broadcast event told of. */
  announced_txid: string | null;
  /** Transaction that the last send.confirmed event told of. */
  confirmed_txid: string | null;
  /** `amount: "max"`: everything spendable was ordered. */
  everything: Generated<Flag>;
  /** Most that it may cost, atoms; null: raises stay under a share of the amount. */
  max_fee: string | null;
  note: string | null;
  /** The block since which nothing of it can be mined as far as the chain shows; null while it can. */
  displaced_height: number | null;
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
  /** Position of the output that comes back to the wallet; null where there is none, or in rows of older versions. */
  change_index: number | null;
  /** Pays everything back to the wallet instead of the destination. */
  cancels: Generated<Flag>;
}

/** A send that gives a payment's money back. */
export interface RefundRow {
  send_id: string;
  payment_id: string;
  coin: Coin;
  /** Atoms of the payment's money that it uses up; with subtract_fee the fee is among them. */
  amount: string;
  created_at: number;
}

export interface IdempotencyRow {
  scope: string;
  key: string;
  route: string;
  request_hash: string;
  state: 'in_flight' | 'done';
  status: number | null;
  body_sealed: string | null;
  created_at: number;
  /** Null: kept for ever (sends). */
  expires_at: number | null;
}

export interface SimBlockRow {
  coin: Coin;
  height: number;
  hash: string;
  parent_hash: string;
  time_ms: number;
}

export interface SimTransactionRow {
  coin: Coin;
  txid: string;
  /** Null while unconfirmed. */
  height: number | null;
  state: 'mempool' | 'mined' | 'dropped';
  body_json: string;
  created_at: number;
}

/** Which simulated transactions spend an output; several rivals may, at most one is not dropped. */
export interface SimSpendRow {
  coin: Coin;
  txid: string;
  vout: number;
  by_txid: string;
}
