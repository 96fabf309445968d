import type { CounterPayment, PaymentState } from './types.ts';
import { el, svgSquare } from './dom.ts';
import { STATE_SIGNS } from './states.ts';
import { keep, recall } from './storage.ts';
import { say, type CounterText } from './texts.ts';
import { amountText, type Till } from './till.ts';

interface PaymentActions {
  readonly onCoin: () => void;
  readonly onNext: () => void;
}

/** The payer's page, where the payer chooses the coin, instead of one coin. */
const ANY = 'any';

/** The code, as large as the phone, until the payment is seen; then its state, as large. */
export function paymentView(
  till: Till,
  payment: CounterPayment,
  { onCoin, onNext }: PaymentActions,
): HTMLElement {
  const { state, tip } = payment;
  return el(
    'main',
    { class: `payment ${state}` },
    el(
      'div',
      { class: 'total' },
      el('h1', {}, el('bdi', {}, amountText(till, payment.amount))),
      tip !== null && el('p', {}, say('withTip', { amount: amountText(till, tip) })),
    ),
    stateBox(till, payment),
    isPayable(state) ? codes(payment, onCoin) : null,
    el('button', { type: 'button', class: 'primary', id: 'next', onclick: onNext }, say('nextCustomer')),
  );
}

/** Whether the payer still has to scan something. */
function isPayable(state: PaymentState): boolean {
  return state === 'waiting' || state === 'short' || state === 'reversed';
}

function stateBox(till: Till, payment: CounterPayment): HTMLElement {
  const { state, received } = payment;
  const text =
    state === 'seen'
      ? say('seenText')
      : state === 'short' && received !== null
        ? say('shortText', {
            received: amountText(till, received),
            amount: amountText(till, payment.amount),
          })
        : null;
  return el(
    'div',
    { class: 'state' },
    stateSign(state),
    el('p', {}, el('b', {}, stateText(state)), text !== null && el('span', {}, text)),
  );
}

export function stateText(state: PaymentState): string {
  const key: CounterText = state;
  return say(key);
}

export function stateSign(state: PaymentState): SVGElement {
  return svgSquare(24, STATE_SIGNS[state], { class: 'sign', 'aria-hidden': 'true' });
}

function codes(payment: CounterPayment, onCoin: () => void): HTMLElement {
  // The address of a coin asks for the whole price: only the payer's page knows the remainder.
  const coins = payment.state === 'waiting' ? payment.coins : [];
  const chosen = recall('coin');
  const coin = coins.find((one) => one.coin === chosen) ?? null;
  const shown = coin ?? payment.page;
  const name = coin === null ? say('anyCoin') : coin.coin;
  const choose = (value: string): HTMLElement =>
    el(
      'button',
      {
        type: 'button',
        'aria-pressed': String((coin?.coin ?? ANY) === value),
        onclick: () => {
          keep('coin', value === ANY ? null : value);
          onCoin();
        },
      },
      value === ANY ? say('anyCoin') : value,
    );
  return el(
    'div',
    { class: 'codes' },
    svgSquare(shown.qr.size, shown.qr.path, {
      class: 'qr',
      role: 'img',
      'aria-label': say('qr', { name }),
    }),
    coin !== null &&
      el('p', { class: 'coin-amount' }, el('bdi', { dir: 'ltr' }, `${coin.amount} ${coin.coin}`)),
    coins.length > 0 &&
      el(
        'div',
        { class: 'coins', role: 'group', 'aria-label': say('payWith') },
        choose(ANY),
        ...coins.map((one) => choose(one.coin)),
      ),
  );
}
