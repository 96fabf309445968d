import { formatLocale } from '../../i18n/languages.ts';
import type { ListedPayment } from './types.ts';
import { el } from './dom.ts';
import { stateSign, stateText } from './payment-view.ts';
import { LANGUAGE, say } from './texts.ts';
import { amountText, type Till } from './till.ts';

interface DayActions {
  readonly openPayment: (id: string) => void;
  readonly onNext: () => void;
}

/** What the counter took on the current day of the shop. */
export function dayView(till: Till, { openPayment, onNext }: DayActions): HTMLElement {
  const { day, total, payments, shop } = till.day;
  const date = new Intl.DateTimeFormat(formatLocale(LANGUAGE), { dateStyle: 'full', timeZone: 'UTC' });
  const time = new Intl.DateTimeFormat(formatLocale(LANGUAGE), {
    timeStyle: 'short',
    timeZone: shop.timeZone,
  });
  const row = ({ id, state, amount, createdAt }: ListedPayment): HTMLElement =>
    el(
      'li',
      {},
      el(
        'button',
        { type: 'button', class: state, onclick: () => openPayment(id) },
        el('span', { class: 'time' }, time.format(Date.parse(createdAt))),
        stateSign(state),
        el('span', { class: 'state-name' }, stateText(state)),
        el('b', {}, el('bdi', {}, amountText(till, amount))),
      ),
    );
  return el(
    'main',
    { class: 'day' },
    el('h1', {}, date.format(Date.parse(`${day}T00:00:00Z`))),
    el(
      'div',
      { class: 'totals' },
      el('b', {}, el('bdi', {}, amountText(till, total.amount))),
      el('span', {}, say('todayTotal', { count: total.count })),
      till.day.counter.tips.length > 0 &&
        el('span', {}, say('todayTips', { amount: amountText(till, total.tips) })),
    ),
    payments.length === 0
      ? el('p', { class: 'hint' }, say('noPayments'))
      : el('ul', {}, ...payments.map(row)),
    el('button', { type: 'button', class: 'primary', id: 'next', onclick: onNext }, say('nextCustomer')),
  );
}
