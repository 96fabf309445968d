import { el } from './dom.ts';
import { keypad, pressedKey } from './keypad.ts';
import { percentage, toMinor, typeDigit } from './money.ts';
import { say } from './texts.ts';
import { money, tillCurrency, type Till } from './till.ts';

interface TipActions {
  readonly onTip: (tip: bigint) => void;
  readonly onBack: () => void;
}

/** The customer chooses a tip on the phone, before the code is shown. */
export function tipView(till: Till, sum: bigint, { onTip, onBack }: TipActions): HTMLElement {
  const choices = till.day.counter.tips.flatMap((percent) => {
    const tip = percentage(sum, percent);
    // Of a very small amount.
    if (tip === 0n) return [];
    return [
      el(
        'button',
        { type: 'button', onclick: () => onTip(tip) },
        el('b', {}, el('bdi', { dir: 'ltr' }, `${percent} %`)),
        el('span', {}, money(till, tip)),
      ),
    ];
  });
  const view = el('main', { class: 'tip' });
  view.append(
    el('h1', {}, say('tipTitle')),
    el('p', { class: 'bill' }, say('tipText', { amount: money(till, sum) })),
    el('div', { class: 'tips' }, ...choices),
    el(
      'button',
      {
        type: 'button',
        class: 'quiet',
        onclick: () => view.replaceWith(ownTipView(till, sum, { onTip, onBack })),
      },
      say('ownTip'),
    ),
    el('button', { type: 'button', class: 'primary', onclick: () => onTip(0n) }, say('noTip')),
    el('button', { type: 'button', class: 'quiet', onclick: onBack }, say('back')),
  );
  return view;
}

function ownTipView(till: Till, sum: bigint, { onTip, onBack }: TipActions): HTMLElement {
  const currency = tillCurrency(till);
  let digits = '';
  const amount = el('bdi', {}, money(till, 0n));
  const problem = el('p', { class: 'problem', role: 'alert', hidden: true });
  const charge = el('button', { type: 'button', class: 'primary' });
  const show = (): void => {
    const tip = toMinor(digits);
    amount.textContent = money(till, tip);
    charge.textContent = say('charge', { amount: money(till, sum + tip) });
    problem.hidden = tip <= sum;
    problem.textContent = tip <= sum ? '' : say('tipTooHigh', { amount: money(till, sum) });
    charge.disabled = tip > sum;
  };
  const type = (key: string): void => {
    digits = typeDigit(digits, key, currency);
    show();
  };
  charge.addEventListener('click', () => onTip(toMinor(digits)));
  const view = el(
    'main',
    { class: 'tip own', tabindex: '-1' },
    el('h1', {}, say('ownTipLabel')),
    el('output', { class: 'amount', 'aria-label': say('ownTipLabel') }, amount),
    problem,
    keypad(type),
    charge,
    el('button', { type: 'button', class: 'quiet', onclick: onBack }, say('back')),
  );
  view.addEventListener('keydown', (event) => {
    const key = pressedKey(event);
    if (key !== null) type(key);
  });
  show();
  return view;
}
