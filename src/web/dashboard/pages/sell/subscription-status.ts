import type { Data } from '../../contract/contract.ts';
import { fiat } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';

export type Subscription = Data<'GET', '/merchant/subscription/list'>['subscriptions'][number];
type Status = Subscription['status'];

export const STATUS_NAMES: Readonly<Record<Status, string>> = {
  trialing: t('Not begun'),
  active: t('Active'),
  past_due: t('Past due'),
  paused: t('Paused'),
  cancelled: t('Ending'),
  ended: t('Ended'),
};
export const TONES = {
  trialing: 'idle',
  active: 'good',
  past_due: 'warn',
  paused: 'idle',
  cancelled: 'idle',
  ended: 'idle',
} as const satisfies Record<Status, string>;
export const STATUSES = Object.keys(STATUS_NAMES) as Status[];

const MEANINGS: Readonly<Record<Status, string>> = {
  trialing: t('Its first period has not begun. The customer has access as long as a trial lasts.'),
  active: t('The current period is paid.'),
  past_due: t('A period has begun unpaid. It ends after the days of grace unless the customer pays.'),
  paused: t('It is not invoiced, and the customer has no access. Paid time continues when you resume it.'),
  cancelled: t('It ends with the paid time and is not invoiced any more.'),
  ended: t('It is over. Money that arrives now becomes credit and does not bring it back.'),
};

/** What the state means for the customer and the shop. */
export function statusMeaning({ status, cancelAtPeriodEnd }: Subscription): string {
  return cancelAtPeriodEnd && status === 'active'
    ? t('The current period is paid. It ends with the paid time unless you undo the cancellation.')
    : MEANINGS[status];
}

const PER: Readonly<Record<Subscription['interval'], (amount: string) => string>> = {
  daily: (amount) => t('{amount} per day', { amount }),
  weekly: (amount) => t('{amount} per week', { amount }),
  monthly: (amount) => t('{amount} per month', { amount }),
  quarterly: (amount) => t('{amount} per quarter', { amount }),
  yearly: (amount) => t('{amount} per year', { amount }),
};

export function periodPrice({ interval, amount, currency }: Subscription): string {
  return PER[interval](fiat(amount, currency));
}
