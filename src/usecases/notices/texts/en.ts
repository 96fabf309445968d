import type { NoticeKind, NoticeReason } from '../../../domain/notices.ts';

/** All texts of the mails and of the unsubscribe page. */
export interface NoticeTexts {
  readonly subjects: Readonly<Record<NoticeReason, string>>;
  readonly bodies: Readonly<Record<NoticeReason, string>>;
  readonly kinds: Readonly<Record<NoticeKind, string>>;
  readonly test: string;
  readonly reminder: string;
  readonly why: string;
  readonly whyOperator: string;
  readonly whySummary: string;
  readonly switchOff: string;
  readonly allSettings: string;
  readonly summarySubject: string;
  readonly summaryBody: string;
  readonly offTitle: string;
  readonly offQuestion: string;
  readonly offButton: string;
  readonly offDone: string;
  readonly offInvalid: string;
}

export const en: NoticeTexts = {
  subjects: {
    paid: '{shop}: {order} was paid',
    underpaid: '{shop}: too little was paid for {order}',
    late: '{shop}: money for {order} came late',
    refund_claimed: '{shop}: a refund of {order} waits for your approval',
    reversed: '{shop}: the payment of {order} was taken back',
    send_failed: '{shop}: a transfer of {coin} failed',
    refund_failed: '{shop}: a refund of {order} failed',
    refund_delayed: '{shop}: a refund of {order} cannot be sent yet',
    send_stuck: '{shop}: a transfer of {coin} is not confirmed',
    fee_limited: '{shop}: the fee limit of a transfer of {coin} is reached',
    webhook_gone: '{shop}: a webhook endpoint was switched off',
    webhook_failing: '{shop}: webhooks do not arrive',
    node_down: '{coin} at {server}: the node cannot be used',
    node_back: '{coin} at {server}: the node works again',
    transactions_unread: '{coin} at {server}: transactions could not be read',
    transactions_read: '{coin} at {server}: all transactions are read again',
    rates_unsure: '{server}: too few price sources',
    rates_back: '{server}: enough price sources again',
    backup_old: '{server}: the newest backup is too old',
    backup_back: '{server}: there is a recent backup again',
    replica_behind: '{server}: the replica is behind',
    replica_back: '{server}: the replica has caught up',
  },
  bodies: {
    paid: 'Order {order} ({price}) is paid and confirmed.',
    underpaid:
      'The time to pay order {order} ({price}) is over, and less arrived than was asked for. Accept what is there or give it back: nothing happens until you decide.',
    late: 'Money for order {order} ({price}) came after the time to pay was over. Accept it or give it back: nothing happens until you decide.',
    refund_claimed:
      'The payer of order {order} has claimed the refund and given an address. Look at it and approve it: nothing is sent before that.',
    reversed:
      'The money for order {order} ({price}), which had been reported as paid, is not in the blockchain any more: it was spent elsewhere or lost in a reorganisation. If you have not delivered yet, wait.',
    send_failed: 'A transfer of {coin} from the wallet can never be confirmed. The money is still yours.',
    refund_failed:
      'A refund of order {order} ({price}) can never be confirmed. The payer has not got the money.',
    refund_delayed:
      'A claimed refund of order {order} ({price}) cannot be sent at present: the wallet lacks the money, or the network fee is above the limit. It is tried again and sent once that changes. You can also cancel it.',
    send_stuck:
      'A transfer of {coin} from the wallet has waited for hours without being confirmed. Its fee may be too low: you can raise it.',
    fee_limited:
      'A transfer of {coin} from the wallet has waited for a day because its network fee would have to rise above its limit. tilld raises the fee as soon as fees fall. To pay more now, raise its fee with a higher limit.',
    webhook_gone:
      'The webhook endpoint at {host} answered 410 Gone, and nothing is sent there any more. If that was not intended, save its address again.',
    webhook_failing:
      'For an hour no webhook has reached the endpoint at {host}. Your shop may not know of payments. They are tried again for three days.',
    node_down:
      'For some time tilld has not been able to follow {coin}. Until its node works again, payments in {coin} are not detected, and none of them expires.',
    node_back: 'tilld follows {coin} again. Payments that came in meanwhile are detected now.',
    transactions_unread:
      'tilld could not read single transactions of {coin}. If one of them pays an order, its money is not credited yet; all other payments are. tilld retries them. The health page names them and the reason: install a newer release of tilld, or use another node.',
    transactions_read:
      'tilld has read the transactions of {coin} that it could not read before. Payments in them are credited now.',
    rates_unsure:
      'Only one price source is left, or its price jumped. tilld lets a single source move a price only slowly, and creates no payment at a price beyond that. The health page names the coins and the sources.',
    rates_back: 'At least two price sources agree again.',
    backup_old:
      'The newest backup of this server is older than allowed. See the health page and the log for the reason.',
    backup_back: 'The newest backup of this server is recent again.',
    replica_behind:
      'The replica of this server is further behind than allowed. If this machine is lost now, the newest payments are missing from it.',
    replica_back: 'The replica of this server has caught up.',
  },
  kinds: {
    paid: 'Each payment that is paid',
    decision: 'Payments that wait for a decision',
    refund_claim: 'Refunds that wait for approval',
    reversed: 'Payments that were taken back',
    send: 'Transfers and refunds that fail or hang',
    webhook: 'Webhooks that do not arrive',
    node: 'Nodes',
    rates: 'Price sources',
    backup: 'Backups',
    replica: 'Replica',
  },
  test: 'Test',
  reminder: 'Reminder',
  why: 'You get this mail because “{kind}” is switched on for {shop} at {server}.',
  whyOperator: 'You get this mail as the operator of this server.',
  whySummary: 'There were more notices in an hour than are mailed one by one.',
  switchOff: 'Switch such mails off',
  allSettings: 'All notices',
  summarySubject: '{shop}: {count} more notices',
  summaryBody: '{count} more notices about {shop}:',
  offTitle: 'Switch mails off',
  offQuestion: 'No more mails about “{kind}” of {shop}?',
  offButton: 'Switch them off',
  offDone: 'These mails are switched off. You can switch them on again under “Mails” in the shop.',
  offInvalid: 'This link does not count. Switch mails off under “Mails” in the shop.',
};
