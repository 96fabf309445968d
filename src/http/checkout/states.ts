import { assertNever } from '../../domain/errors.ts';
import { isPayable } from '../../domain/payment/status.ts';
import { type CheckoutView, hasReceipt } from '../../usecases/checkout/index.ts';
import { html, type Html } from '../pages/html.ts';
import { excessNotice } from './excess-notice.ts';
import { formatCoins, count, deadlineIn, fiat } from './format.ts';
import { stateIcon, type StateIcon } from './icons.ts';
import type { CheckoutText } from './negotiate-language.ts';
import { payPanels } from './panels.ts';
import { receivedTransactions, sentBackTransactions } from './transaction-lists.ts';
import { leadsToOrder, otherPath, receiptPath, renewPath, shopUrl, type PageModel } from './page-model.ts';
import { contactHref } from './shop-head.ts';

/** The page's text for the payment's current state. */
export function describeState(scene: PageModel): Html {
  const { payment } = scene.view;
  if (payment.supersededBy !== undefined) return superseded(scene, payment.supersededBy);
  switch (payment.status) {
    case 'pending':
      return pending(scene);
    case 'underpaid':
      return underpaid(scene);
    case 'confirming':
      return confirming(scene);
    case 'completed':
      return completed(scene);
    case 'expired':
      return endedWithMoney(scene) ?? expired(scene);
    case 'cancelled':
      return endedWithMoney(scene) ?? outcome(scene, 'stop', 'cancelledTitle', 'cancelledText');
    case 'failed':
      return outcome(scene, 'alert', 'reversedTitle', 'reversedEndedText');
    case 'refunded':
      return outcome(scene, 'back', 'refundedTitle', 'refundedText');
    default:
      return assertNever(payment.status);
  }
}

/** The title of the browser's tab and of a printed page. */
export function pageTitle({ view, say, language }: PageModel): string {
  const { payment, shop } = view;
  const amount = fiat(payment.amount, payment.currency, language);
  return say(payment.status === 'completed' ? 'paidTitle' : 'title', { amount, shop: shop.name });
}

/** One line for screen readers: the latest change. */
export function announcement({ view, say }: PageModel): string {
  const { status, exception, supersededBy } = view.payment;
  if (supersededBy !== undefined) return say('supersededTitle');
  if (exception === 'reversed' || status === 'failed') return say('reversedTitle');
  if (status === 'pending') return say('waiting');
  if (exception === 'late' && (status === 'expired' || status === 'cancelled')) return say('lateTitle');
  if (isFullButLate(view)) return say('lateTitle');
  return say(`${status}Title`);
}

function pending(scene: PageModel): Html {
  return html`${deadline(scene)} ${reversed(scene) ?? html`<h2 class="sr">${scene.say('waiting')}</h2>`}
  ${payPanels(scene, scene.say('amount'))} ${receivedTransactions(scene)} ${backLink(scene, 'link')}`;
}

/** Tells the payer of an open payment that the network dropped money, which may still arrive. */
function reversed({ view, say }: PageModel): Html | null {
  if (view.payment.exception !== 'reversed') return null;
  return html`<div class="notice" role="alert">
    ${stateIcon('alert')}
    <div>
      <h2>${say('reversedTitle')}</h2>
      <p>${say('reversedText')}</p>
    </div>
  </div>`;
}

/** The page of an ended payment whose money came late, or was dropped by the network. */
function endedWithMoney(scene: PageModel): Html | null {
  const { exception } = scene.view.payment;
  if (exception === 'late') return outcome(scene, 'alert', 'lateTitle', 'lateText');
  return exception === 'reversed' ? outcome(scene, 'alert', 'reversedTitle', 'reversedEndedText') : null;
}

function underpaid(scene: PageModel): Html {
  const { say, language, view } = scene;
  // The deadline has passed: money now would be late, at another rate, and may not count at all.
  if (isFullButLate(view)) return outcome(scene, 'alert', 'lateTitle', 'lateText');
  if (!isPayable(view.payment)) return outcome(scene, 'alert', 'underpaidTitle', 'shortText');
  const received = Object.entries(view.payment.options)
    .filter(([, option]) => option.received !== '0')
    .map(([coin, option]) => `${formatCoins(option.received, language)} ${coin}`);
  return html`${deadline(scene)} ${reversed(scene)}
    <div class="notice">
      ${stateIcon('alert')}
      <div>
        <h2>${say('underpaidTitle')}</h2>
        <p>${say('underpaidText', { received: received.join(' + ') })}</p>
      </div>
    </div>
    ${payPanels(scene, say('remaining'))} ${receivedTransactions(scene)} ${backLink(scene, 'link')}`;
}

/** With the late money the price is covered; the shop decides whether it counts. */
function isFullButLate({ payment, due }: CheckoutView): boolean {
  const isLate = payment.status === 'underpaid' && payment.exception === 'late';
  return isLate && due.every(({ amount }) => amount === '0');
}

function confirming(scene: PageModel): Html {
  const { say, language, view } = scene;
  const paid = Object.values(view.payment.options).filter((option) => option.received !== '0');
  const needed = Math.max(1, ...paid.map((option) => option.requiredConfirmations));
  const done = Math.min(needed, ...paid.map((option) => option.confirmations));
  const counts = { done: count(done, language), needed: count(needed, language) };
  // The network's own finality decides about such money; the count only indicates how long that usually
  // takes.
  const awaitsWord = paid.some(
    (option) => option.finality !== null && option.confirmations < option.requiredConfirmations,
  );
  const label = say(awaitsWord ? 'awaitingFinality' : 'confirmations', counts);
  return html`<div class="outcome">
      ${stateIcon('wait')}
      <h2>${say('confirmingTitle')}</h2>
      <p>${say('confirmingText')}</p>
      <progress max="${needed}" value="${done}" aria-label="${label}"></progress>
      <p class="hint">${label}</p>
    </div>
    ${receivedTransactions(scene)} ${backLink(scene, 'link')}`;
}

function completed(scene: PageModel): Html {
  const { say, language, view } = scene;
  const { payment, shop } = view;
  const amount = fiat(payment.amount, payment.currency, language);
  return html`<div class="outcome ${view.atCounter && 'taken'}">
      ${stateIcon('done')}
      <h2>${say('completedTitle')}</h2>
      <p>${say('completedText', { shop: shop.name, amount })}</p>
      ${excessNotice(scene)} ${backLink(scene, 'button')} ${receiptLink(scene)}
    </div>
    ${sentBackTransactions(scene)} ${receivedTransactions(scene)}`;
}

function outcome(
  scene: PageModel,
  icon: StateIcon,
  title: CheckoutText,
  text: CheckoutText,
  action: Html | null = null,
): Html {
  const { say } = scene;
  return html`<div class="outcome">
      ${stateIcon(icon)}
      <h2>${say(title)}</h2>
      <p>${say(text)}</p>
      ${action === null ? (backLink(scene, 'button') ?? contactLink(scene)) : html`${action} ${backLink(scene, 'link')}`}
      ${receiptLink(scene)}
    </div>
    ${sentBackTransactions(scene)} ${receivedTransactions(scene)}`;
}

/** The payment that replaces it, or the form that creates one: opening the page creates nothing. */
function expired(scene: PageModel): Html {
  const { renewal } = scene.view;
  if (renewal === null) return outcome(scene, 'stop', 'expiredTitle', 'expiredText');
  const { paymentId } = renewal;
  if (paymentId === null) {
    const form = html`<form method="post" action="${renewPath(scene)}">
      <button class="button">${scene.say('renew')}</button>
    </form>`;
    return outcome(scene, 'stop', 'expiredTitle', 'renewText', form);
  }
  return outcome(scene, 'stop', 'expiredTitle', 'renewedText', wayTo(scene, paymentId, 'renewed'));
}

/** Not payable: the payment that received the money of the order asks for a remainder. */
function superseded(scene: PageModel, lead: string): Html {
  return outcome(scene, 'stop', 'supersededTitle', 'supersededText', wayTo(scene, lead, 'superseded'));
}

function wayTo(scene: PageModel, paymentId: string, text: CheckoutText): Html {
  return html`<p><a class="button" href="${otherPath(scene, paymentId)}">${scene.say(text)}</a></p>`;
}

function receiptLink(scene: PageModel): Html | null {
  if (!hasReceipt(scene.view)) return null;
  return html`<p><a class="link" href="${receiptPath(scene)}">${scene.say('receipt')}</a></p>`;
}

function deadline({ view, say, language }: PageModel): Html {
  const { createdAt, expiresAt } = view.payment;
  return html`<div class="deadline" data-from="${createdAt}" data-until="${expiresAt}">
    <p>
      <span class="label" data-label="${say('timeLeft')}"
        >${say('expiresAt', { time: deadlineIn(expiresAt, view.shop.timeZone, language) })}</span
      >
      <time class="number" datetime="${expiresAt}" hidden></time>
    </p>
    <div class="track" hidden><div class="fill"></div></div>
  </div>`;
}

function backLink({ view, say }: PageModel, kind: 'button' | 'link'): Html | null {
  if (view.atCounter && view.payment.returnUrl !== null) {
    // The counter is a page of this daemon, under the host name that the shop's device used.
    const { pathname } = new URL(view.payment.returnUrl);
    const path = pathname.slice(pathname.lastIndexOf('/pos/'));
    return html`<p><a class="button" href="${path}">${say('nextCustomer')}</a></p>`;
  }
  const url = shopUrl(view);
  if (url === null) return null;
  const text = say(leadsToOrder(view) ? 'backToOrder' : 'backToShop');
  return html`<p><a class="${kind}" href="${url}">${text}</a></p>`;
}

/** The support contact, for pages without a known page of the shop. */
function contactLink({ view: { shop }, say }: PageModel): Html | null {
  if (shop.supportContact === null) return null;
  return html`<p><a class="button" href="${contactHref(shop.supportContact)}">${say('askShop')}</a></p>`;
}
