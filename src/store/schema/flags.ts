import type { Selectable } from 'kysely';
import type { Tables } from './tables.ts';

type FlagsOf<Row> = { [C in keyof Row]-?: Row[C] extends boolean ? C : never }[keyof Row];
type FlagTables = {
  [T in keyof Tables as [FlagsOf<Selectable<Tables[T]>>] extends [never] ? never : T]: Record<
    FlagsOf<Selectable<Tables[T]>>,
    true
  >;
};

/** The columns that are stored as 0 or 1 and are booleans to the program; the row types demand each. */
export const FLAGS: FlagTables = {
  users: { isVerified: true },
  passkeys: { backedUp: true },
  merchants: {
    sandbox: true,
    renewExpired: true,
    excessToCredit: true,
    payerMayAskExcess: true,
    payerMayPause: true,
    payerMayCancel: true,
    mailsSubscribers: true,
  },
  products: { recurring: true, active: true },
  prices: { active: true },
  payment_links: { priceLocked: true, active: true },
  subscriptions: { hasGrace: true, cancelAtPeriodEnd: true, trialEndingSent: true },
  payments: { priceLocked: true, hasMoneyAfterRefund: true },
  watch_addresses: { confirmed: true },
  outputs: { late: true, watchOnly: true },
  unconfirmed_inputs: { parentOpen: true },
  unread_transactions: { unknownVersion: true },
  deliveries: { replaced: true },
  webhook_endpoints: { active: true },
  notice_choices: { enabled: true },
  refunds: { byAcceptance: true },
  refund_links: {
    approval: true,
    deductFee: true,
    claimChecked: true,
    openedComplete: true,
    claimByAcceptance: true,
  },
  sends: { subtractFee: true, everything: true, queued: true, coinControl: true, byPsbt: true },
  send_versions: { cancels: true },
  send_approvals: { subtractFee: true },
  wallet_forwards: { active: true },
};
