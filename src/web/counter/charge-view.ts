import type { Favourite } from './types.ts';
import { addItem, removeItem, sumCart, type Cart } from './cart.ts';
import { el } from './dom.ts';
import { keypad, pressedKey } from './keypad.ts';
import { typeDigit } from './money.ts';
import { say } from './texts.ts';
import { amountText, money, tillCurrency, type Till } from './till.ts';

interface ChargeActions {
  readonly onCart: (cart: Cart) => void;
  readonly onCharge: () => void;
  readonly onDay: () => void;
}

/** The amount, the favourites and the keys. @param problem why the last charge failed; null: it did not */
export function chargeView(
  till: Till,
  { cart, problem }: { readonly cart: Cart; readonly problem: string | null },
  { onCart, onCharge, onDay }: ChargeActions,
): HTMLElement {
  const { shop, counter, total } = till.day;
  const currency = tillCurrency(till);
  const sum = sumCart(cart, counter.favourites, currency);
  const type = (key: string): void => onCart({ ...cart, digits: typeDigit(cart.digits, key, currency) });
  const view = el(
    'main',
    { class: 'charge', tabindex: '-1' },
    el(
      'header',
      {},
      el('h1', {}, el('bdi', {}, counter.name), el('span', { class: 'shop' }, shop.name)),
      el(
        'button',
        { type: 'button', class: 'day-total', onclick: onDay },
        el('span', {}, say('today')),
        el('b', {}, amountText(till, total.amount)),
      ),
    ),
    shop.sandbox && el('p', { class: 'sandbox' }, say('sandbox')),
    el('output', { class: 'amount', 'aria-label': say('amountLabel') }, el('bdi', {}, money(till, sum))),
    el('p', { class: 'problem', role: 'alert', ...(problem === null ? { hidden: true } : {}) }, problem),
    favouriteKeys(till, cart, onCart),
    keypad(type),
    el(
      'button',
      { type: 'button', class: 'primary', id: 'charge', disabled: sum === 0n, onclick: onCharge },
      say('charge', { amount: money(till, sum) }),
    ),
  );
  view.addEventListener('keydown', (event) => {
    const key = pressedKey(event);
    if (key === null) return;
    event.preventDefault();
    type(key);
  });
  return view;
}

function favouriteKeys(till: Till, cart: Cart, onCart: (cart: Cart) => void): HTMLElement | null {
  const { favourites } = till.day.counter;
  if (favourites.length === 0) return null;
  const key = ({ priceId, name, amount }: Favourite): HTMLElement => {
    const quantity = cart.items.get(priceId) ?? 0;
    return el(
      'li',
      {},
      el(
        'button',
        { type: 'button', onclick: () => onCart(addItem(cart, priceId)) },
        el('bdi', {}, name),
        el('span', {}, amountText(till, amount)),
        quantity > 0 && el('b', { class: 'quantity' }, `× ${quantity}`),
      ),
      quantity > 0 &&
        el(
          'button',
          {
            type: 'button',
            class: 'remove',
            'aria-label': say('remove', { name }),
            onclick: () => onCart(removeItem(cart, priceId)),
          },
          '×',
        ),
    );
  };
  return el('ul', { class: 'favourites', 'aria-label': say('favourites') }, ...favourites.map(key));
}
