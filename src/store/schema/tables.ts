import type { Coin, Mode } from '../../domain/coins.ts';
import type { EventType } from '../../domain/events.ts';
import type { AttentionDismissalRow } from './attention.ts';
import type {
  AccountTokenRow,
  KnownNetworkRow,
  MailRow,
  PasskeyRow,
  RecoveryCodeRow,
  SecondFactorRow,
  SessionRow,
  RevocationTable,
  SpentChallengeRow,
  UserRow,
} from './accounts.ts';
import type { CounterRow } from './counters.ts';
import type { CustomerRow, PriceRow, ProductRow, ProductShopRow } from './catalog.ts';
import type { ChainBlockRow, ChainCursorRow, ChainGapRow, UnreadTransactionRow } from './chain.ts';
import type {
  AddressCounterRow,
  AddressRow,
  AddressTipRow,
  LookAheadRangeRow,
  WalletLabelRow,
  WatchAccountRow,
  WatchAddressRow,
  OutputRow,
  RawTransactionRow,
  UnconfirmedInputRow,
} from './ledger.ts';
import type {
  ApiKeyRow,
  ConnectCodeRow,
  DomainCheckRow,
  MerchantLogoRow,
  MerchantRow,
  RestrictedKeyRow,
} from './merchants.ts';
import type { MovementRow } from './movements.ts';
import type { IdempotencyRow, SimBlockRow, SimSpendRow, SimTransactionRow } from './operations.ts';
import type {
  NoticeChoiceRow,
  NoticeConditionRow,
  NoticeLanguageRow,
  NoticeMailRow,
  NoticeRow,
} from './notices.ts';
import type {
  PaymentCountRow,
  PaymentNoteRow,
  PaymentOptionRow,
  PaymentRow,
  RefundRow,
  VolumeTotalRow,
} from './payments.ts';
import type { AuditTable, InvitationRow, MemberRow } from './people.ts';
import type { ReceiptRow, SellerRow } from './receipts.ts';
import type { RefundLinkRow } from './refund-links.ts';
import type { PaymentLinkRow } from './payment-links.ts';
import type {
  ForwardCounterRow,
  SendApprovalRow,
  SendPsbtRow,
  SendRow,
  SendVersionRow,
  WalletForwardRow,
  WalletFreezeRow,
  WalletLimitsRow,
} from './sends.ts';
import type { SubscriptionInvoiceRow, SubscriptionMailRow, SubscriptionRow } from './subscriptions.ts';
import type {
  DeliveryRow,
  EndpointHealthRow,
  EventRow,
  GoneEndpointRow,
  WebhookEndpointRow,
  WebhookLogRow,
} from './webhooks.ts';

/**
 * Row types of every table. Conventions: times are integer milliseconds, flags 0 or 1, atoms are decimal
 * strings (wei do not fit 64 bits), `*_json` contains JSON text, `*_sealed` AES-GCM text.
 */
export interface Tables {
  meta: { key: string; value: string };
  users: UserRow;
  account_tokens: AccountTokenRow;
  second_factors: SecondFactorRow;
  recovery_codes: RecoveryCodeRow;
  known_networks: KnownNetworkRow;
  sessions: SessionRow;
  passkeys: PasskeyRow;
  spent_challenges: SpentChallengeRow;
  revocations: RevocationTable;
  members: MemberRow;
  invitations: InvitationRow;
  audit_log: AuditTable;
  mails: MailRow;
  notices: NoticeRow;
  notice_mails: NoticeMailRow;
  notice_choices: NoticeChoiceRow;
  notice_languages: NoticeLanguageRow;
  notice_conditions: NoticeConditionRow;
  attention_dismissals: AttentionDismissalRow;
  merchants: MerchantRow;
  merchant_logos: MerchantLogoRow;
  domain_checks: DomainCheckRow;
  api_keys: ApiKeyRow;
  restricted_keys: RestrictedKeyRow;
  connect_codes: ConnectCodeRow;
  counters: CounterRow;
  customers: CustomerRow;
  products: ProductRow;
  product_shops: ProductShopRow;
  prices: PriceRow;
  payment_links: PaymentLinkRow;
  subscriptions: SubscriptionRow;
  subscription_invoices: SubscriptionInvoiceRow;
  subscription_mails: SubscriptionMailRow;
  addresses: AddressRow;
  address_tips: AddressTipRow;
  address_counters: AddressCounterRow;
  look_ahead_ranges: LookAheadRangeRow;
  watch_accounts: WatchAccountRow;
  watch_addresses: WatchAddressRow;
  wallet_labels: WalletLabelRow;
  payments: PaymentRow;
  payment_notes: PaymentNoteRow;
  receipts: ReceiptRow;
  sellers: SellerRow;
  payment_counts: PaymentCountRow;
  payment_day_counts: PaymentCountRow & { day: number };
  /** Number of outputs, gone ones included; maintained by triggers. */
  output_counts: { merchantId: string; mode: Mode; coin: Coin; count: number };
  event_counts: { merchantId: string; type: EventType; count: number };
  /** Maintained by triggers: the number of customers, and how often one was moved, renamed or deleted. */
  customer_counts: { userId: string; count: number };
  payment_options: PaymentOptionRow;
  outputs: OutputRow;
  movements: MovementRow;
  volume_totals: VolumeTotalRow;
  raw_transactions: RawTransactionRow;
  unconfirmed_inputs: UnconfirmedInputRow;
  chain_cursors: ChainCursorRow;
  chain_blocks: ChainBlockRow;
  chain_gaps: ChainGapRow;
  unread_transactions: UnreadTransactionRow;
  events: EventRow;
  deliveries: DeliveryRow;
  /**
   * Number of listed deliveries by UTC day of creation; maintained by triggers. No endpoint is the webhookUrl
   * of a payment.
   */
  delivery_counts: {
    merchantId: string;
    day: number;
    mode: Mode;
    eventType: EventType;
    endpointId: string;
    count: number;
  };
  webhook_logs: WebhookLogRow;
  /** Number and size of logs by UTC day of creation; maintained by triggers. */
  webhook_log_counts: { merchantId: string; day: number; status: number; count: number; bytes: number };
  gone_endpoints: GoneEndpointRow;
  webhook_endpoints: WebhookEndpointRow;
  endpoint_health: EndpointHealthRow;
  sends: SendRow;
  send_versions: SendVersionRow;
  /** Outputs that the merchant has frozen. */
  frozen_outputs: { coin: Coin; mode: Mode; txid: string; vout: number; frozenAt: number };
  /** The node's last fee rate, and the cost of spending one output at it, atoms. */
  wallet_freezes: WalletFreezeRow;
  wallet_limits: WalletLimitsRow;
  send_approvals: SendApprovalRow;
  send_psbts: SendPsbtRow;
  /** The outputs that a PSBT spends. */
  send_psbt_inputs: { coin: Coin; mode: Mode; txid: string; vout: number; sendId: string };
  wallet_forwards: WalletForwardRow;
  forward_counters: ForwardCounterRow;
  fee_levels: { coin: Coin; mode: Mode; rate: string; inputCost: string; at: number };
  refunds: RefundRow;
  refund_links: RefundLinkRow;
  idempotency: IdempotencyRow;
  sim_blocks: SimBlockRow;
  sim_transactions: SimTransactionRow;
  sim_spends: SimSpendRow;
}
