import './style.css';
import { playChime } from '../chime.ts';
import { CallFailed, chargeCustomer, readPayment } from './api.ts';
import { EMPTY_CART, sumCart, toCharge, type Cart } from './cart.ts';
import { chargeView } from './charge-view.ts';
import { connectView } from './connect-view.ts';
import { dayView } from './day-view.ts';
import { announce, el } from './dom.ts';
import { prepareInstall } from './install.ts';
import { paymentView, stateText } from './payment-view.ts';
import { ENDED } from './states.ts';
import { keep, recall } from './storage.ts';
import { say } from './texts.ts';
import { tipView } from './tip-view.ts';
import type { CounterPayment, PaymentState } from './types.ts';
import { forgetDevice, isRevoked, keptDay, loadDay, tillCurrency, type Till } from './till.ts';

const POLL_MS = 2_000;
/** A payment that has ended can only change by late or reversed money. */
const POLL_ENDED_MS = 15_000;
const DAY_MS = 60_000;

const app = document.querySelector<HTMLElement>('#app') ?? document.body;
const offline = el('p', { class: 'offline', role: 'status', hidden: true }, say('offline'));
const stage = el('div', { class: 'stage' });
app.append(offline, stage);

let till: Till | null = null;
let cart: Cart = EMPTY_CART;
let open: CounterPayment | null = null;
/** The same while a charge is repeated: a lost answer must not become a second payment. */
let attempt: { readonly key: string; readonly charge: string } | null = null;
let timer: number | undefined;

function show(view: HTMLElement): void {
  stage.replaceChildren(view);
}

function showOffline(isLost: boolean): void {
  offline.hidden = !isLost;
}

function showConnect(problem: string | null): void {
  till = null;
  open = null;
  window.clearTimeout(timer);
  show(
    connectView(problem, (token) => {
      keep('token', token);
      void start();
    }),
  );
}

function showCharge(problem: string | null = null): void {
  if (till === null) return;
  const hadFocus = stage.contains(document.activeElement) ? document.activeElement : null;
  const label = hadFocus?.getAttribute('aria-label') ?? hadFocus?.textContent ?? null;
  show(
    chargeView(
      till,
      { cart, problem },
      {
        onCart: (next) => {
          cart = next;
          showCharge();
        },
        onCharge: requestTip,
        onDay: () => void showDay(),
      },
    ),
  );
  // The keys were replaced under the finger: the keyboard continues where it was.
  const again = [...stage.querySelectorAll<HTMLElement>('.keypad button, .favourites button')].find(
    (button) => (button.getAttribute('aria-label') ?? button.textContent) === label,
  );
  (again ?? stage.querySelector<HTMLElement>('main'))?.focus({ preventScroll: true });
}

function requestTip(): void {
  if (till === null) return;
  const { counter } = till.day;
  if (counter.tips.length === 0) return void charge(0n);
  const sum = sumCart(cart, counter.favourites, tillCurrency(till));
  return show(tipView(till, sum, { onTip: (tip) => void charge(tip), onBack: () => showCharge() }));
}

async function charge(tip: bigint): Promise<void> {
  if (till === null) return;
  const { token, day } = till;
  const order = toCharge(cart, day.counter.favourites, { currency: tillCurrency(till), tip });
  const text = JSON.stringify(order);
  if (attempt?.charge !== text) attempt = { key: randomKey(), charge: text };
  show(el('main', { class: 'loading' }, el('p', {}, say('loading'))));
  try {
    open = await chargeCustomer(token, order, attempt.key);
    attempt = null;
    cart = EMPTY_CART;
    keep('payment', open.id);
    showOffline(false);
    showPayment();
    follow();
  } catch (error) {
    if (isRevoked(error)) return revoked();
    showCharge(chargeProblem(error, day.counter.currency));
  }
}

function chargeProblem(error: unknown, currency: string): string {
  const { code, field } = error instanceof CallFailed ? error : { code: '', field: null };
  if (code === 'OFFLINE') return say('offlineCharge');
  if (code === 'RATE_UNAVAILABLE') return say('unpriced', { currency });
  if (code === 'COIN_UNAVAILABLE') return say('noCoin');
  if (code === 'RATE_LIMITED') return say('tooMany');
  if (code === 'VALIDATION_INVALID' && field === 'amount') return say('tooSmall');
  return say('failed');
}

/** Not `randomUUID`, which plain http does not have. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function showPayment(): void {
  if (till === null || open === null) return;
  show(paymentView(till, open, { onCoin: showPayment, onNext: nextCustomer }));
}

function nextCustomer(): void {
  open = null;
  keep('payment', null);
  window.clearTimeout(timer);
  showCharge();
  void refreshDay();
}

/** Reads the open payment again and again; the page announces each change. */
function follow(): void {
  window.clearTimeout(timer);
  if (open === null) return;
  timer = window.setTimeout(() => void readOpen(), ENDED.has(open.state) ? POLL_ENDED_MS : POLL_MS);
}

async function readOpen(): Promise<void> {
  const before = open;
  if (till === null || before === null) return;
  try {
    const next = await readPayment(till.token, before.id);
    showOffline(false);
    if (open?.id !== next.id) return;
    open = next;
    if (next.state !== before.state || next.received !== before.received) showPayment();
    if (next.state !== before.state) noticeState(next.state);
  } catch (error) {
    if (isRevoked(error)) return revoked();
    showOffline(true);
  }
  follow();
}

function noticeState(state: PaymentState): void {
  announce(stateText(state));
  if (state === 'seen' || state === 'paid') playChime(state);
}

async function openPayment(id: string): Promise<void> {
  if (till === null) return;
  try {
    open = await readPayment(till.token, id);
    keep('payment', open.id);
    showPayment();
    follow();
  } catch (error) {
    if (isRevoked(error)) return revoked();
    if (error instanceof CallFailed && error.code === 'PAYMENT_NOT_FOUND') keep('payment', null);
    else showOffline(true);
  }
}

async function showDay(): Promise<void> {
  await refreshDay();
  if (till !== null) show(dayView(till, { openPayment: (id) => void openPayment(id), onNext: nextCustomer }));
}

async function refreshDay(): Promise<void> {
  if (till === null) return;
  try {
    const day = await loadDay(till.token);
    if (till === null) return;
    till = { ...till, day };
    showOffline(false);
    if (stage.querySelector('.charge') !== null) showCharge();
  } catch (error) {
    if (isRevoked(error)) revoked();
    else showOffline(true);
  }
}

function revoked(): void {
  forgetDevice();
  showConnect(say('revoked'));
}

async function start(): Promise<void> {
  const token = recall('token');
  if (token === null) return showConnect(null);
  const kept = keptDay();
  if (kept === null) {
    show(el('main', { class: 'loading' }, el('p', {}, say('loading'))));
    return firstDay(token);
  }
  till = { token, day: kept };
  const payment = recall('payment');
  if (payment === null) showCharge();
  else await openPayment(payment);
  if (open === null && till !== null) showCharge();
  return refreshDay();
}

async function firstDay(token: string): Promise<void> {
  try {
    till = { token, day: await loadDay(token) };
    showOffline(false);
    showCharge();
  } catch (error) {
    if (isRevoked(error)) return revoked();
    showOffline(true);
    timer = window.setTimeout(() => void start(), POLL_MS);
  }
}

function wake(): void {
  if (document.visibilityState !== 'visible') return;
  if (open === null) void refreshDay();
  else void readOpen();
}

prepareInstall(() => {
  if (till === null && recall('token') === null) showConnect(null);
});
document.addEventListener('visibilitychange', wake);
window.addEventListener('online', wake);
window.addEventListener('offline', () => showOffline(true));
window.addEventListener('hashchange', () => {
  if (till === null) showConnect(null);
});
window.setInterval(() => {
  if (open === null && document.visibilityState === 'visible') void refreshDay();
}, DAY_MS);
void start();
