import type { CheckoutView } from '../../usecases/checkout/index.ts';
import { html, type Html } from '../pages/html.ts';
import { formatCoins, fiat } from './format.ts';
import type { CheckoutText } from './negotiate-language.ts';
import { excessPath, type PageModel } from './page-model.ts';

type ExcessRequest = NonNullable<CheckoutView['excessRequest']>;

/** The excess of a completed payment: the payer may request it, or sees the state of the request. */
export function excessNotice(scene: PageModel): Html | null {
  const { view, say } = scene;
  const { mayRequestExcess, excessRequest } = view;
  const excess = shownExcess(scene);
  if (mayRequestExcess && excess !== null) {
    const text = view.moneyBack.length === 0 ? 'overpaidMayRequest' : 'stillOverMayRequest';
    return html`<div class="excess">
      ${excessRequest?.status === 'open' && html`<p>${say('excessReopened')}</p>`}
      <p>${say(text, { excess })}</p>
      <p><a class="button" href="${excessPath(scene)}">${say('requestExcess')}</a></p>
    </div>`;
  }
  const state = excessRequest === null ? null : requestState(scene, excessRequest);
  if (state !== null) return state;
  // A payer who gets all of it back need not ask for it.
  if (excess === null) return null;
  return html`<p class="hint">${say(view.moneyBack.length === 0 ? 'overpaid' : 'stillOver', { excess })}</p>`;
}

const STATES: Readonly<Record<ExcessRequest['status'], CheckoutText | null>> = {
  open: null,
  claimed: 'excessRequested',
  approved: 'excessApproved',
  paid: 'excessPaid',
  expired: null,
  cancelled: 'excessDeclined',
};

function requestState(scene: PageModel, { status, amount, coin }: ExcessRequest): Html | null {
  const { say, language } = scene;
  const text = STATES[status];
  if (text === null || amount === null || coin === null) return null;
  return html`<div class="excess">
    <p>${say(text, { excess: `${formatCoins(amount, language)} ${coin}` })}</p>
    <p><a class="link" href="${excessPath(scene)}">${say('showExcessRequest')}</a></p>
  </div>`;
}

function shownExcess({ view, language }: PageModel): string | null {
  if (view.excess === null) return null;
  const { amount, coin } = view.excess;
  return coin === null
    ? fiat(amount, view.payment.currency, language)
    : `${formatCoins(amount, language)} ${coin}`;
}
