import type { Language } from '../../i18n/languages.ts';
import type { PortalInvoice } from '../../usecases/subscriptions/index.ts';
import { footer, renderDocument } from '../checkout/document.ts';
import { count, fiat } from '../checkout/format.ts';
import { stateIcon } from '../checkout/icons.ts';
import { shopHead } from '../checkout/shop-head.ts';
import { html, type Html } from '../pages/html.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { dayIn, type PortalModel, type PortalScene } from './scene.ts';
import { describeStatus } from './status.ts';
import { pricePerInterval, speakPortal } from './texts.ts';

type Styles = WebAssets['checkout'];

/** The page of a subscription. It needs no script. */
export function portalPage(model: PortalModel, assets: Styles): string {
  const scene: PortalScene = { ...model, ...speakPortal(model.language) };
  const { view, language, say, common, isCancelling } = scene;
  const { shop } = view;
  const body = html`
    ${
      view.sandbox &&
      html`<aside class="sandbox">
        <p><b>${common('sandbox')}</b></p>
      </aside>`
    }
    <div class="page">
      ${summary(scene)}
      <main>
        ${isCancelling && view.may.cancel ? askToCancel(scene) : html`${state(scene)} ${actions(scene)}`}
        ${history(scene)} ${view.may.email && !isCancelling && mail(scene)}
      </main>
      ${footer({ say: common, language, shop })}
    </div>
  `;
  const title = say('title', { shop: shop.name });
  return renderDocument({ language, title, assets: withoutScript(assets), head: false, body, shop });
}

/** A page with the reason why there is no subscription to show. */
export function portalProblemPage(
  kind: 'notFound' | 'error' | 'tooOften',
  language: Language,
  assets: Styles,
): string {
  const { say, common } = speakPortal(language);
  const title = kind === 'notFound' ? say('notFoundTitle') : common('errorTitle');
  const texts = {
    notFound: say('notFoundText'),
    error: say('errorText'),
    tooOften: common('mistakeTooOften'),
  };
  const body = html`<div class="page">
    <main>
      <div class="outcome">
        ${stateIcon('alert')}
        <h1>${title}</h1>
        <p>${texts[kind]}</p>
      </div>
    </main>
  </div>`;
  return renderDocument({ language, title, assets: withoutScript(assets), head: false, body });
}

function withoutScript(assets: Styles): Parameters<typeof renderDocument>[0]['assets'] {
  return assets === null ? null : { ...assets, script: null };
}

function summary({ view, say, common, language }: PortalScene): Html {
  const { product, quantity, price, currency, interval } = view;
  const name = product ?? say('subscription');
  return html`<header class="summary">
    ${shopHead(view.shop, common)}
    <h1>
      <span class="label">${quantity === 1 ? name : `${count(quantity, language)} × ${name}`}</span>
      <span class="total">${pricePerInterval(language, interval, fiat(price, currency, language))}</span>
    </h1>
  </header>`;
}

function state(scene: PortalScene): Html {
  const { view, say, language } = scene;
  const { icon, text } = describeStatus(scene);
  const { due, may, credit, currency, nextInvoiceAt } = view;
  return html`<div class="outcome">
    ${stateIcon(icon)}
    <h2>${text}</h2>
    ${
      due !== null &&
      html`<p>
        ${say(due.isConfirming ? 'confirming' : 'dueFor', {
          from: dayIn(scene, due.periodStart),
          to: dayIn(scene, due.periodEnd),
        })}
        ${!due.isConfirming && say('payBy', { date: dayIn(scene, due.payBy) })}
      </p>`
    }
    ${due === null && nextInvoiceAt !== null && html`<p>${say('nextInvoice', { date: dayIn(scene, nextInvoiceAt) })}</p>`}
    ${credit !== null && html`<p>${say('credit', { amount: fiat(credit, currency, language) })}</p>`}
    ${
      due !== null &&
      (due.isConfirming
        ? html`<p>
            <a class="link" href="/checkout/${due.paymentId ?? ''}?lang=${language}">${say('toPayment')}</a>
          </p>`
        : button(scene, 'pay', say('pay', { amount: fiat(due.amount, currency, language) })))
    }
    ${may.payAhead && button(scene, 'ahead', say('payAhead'))}
  </div>`;
}

/** @param action path of the request below the page */
function button({ token, language }: PortalScene, action: string, text: string, style = 'button'): Html {
  return html`<form method="post" action="/s/${token}/${action}?lang=${language}">
    <button class="${style}">${text}</button>
  </form>`;
}

function actions(scene: PortalScene): Html | null {
  const { view, say, token, language } = scene;
  const { pause, resume, cancel, keep } = view.may;
  if (!pause && !resume && !cancel && !keep) return null;
  return html`<section class="answers" aria-label="${say('change')}">
    ${resume && button(scene, 'resume', say('resume'))}
    ${
      pause &&
      html`${button(scene, 'pause', say('pause'), 'link')}
        <p class="hint">${say('pauseText')}</p>`
    }
    ${keep && button(scene, 'keep', say('keep'))}
    ${cancel && html`<p><a class="link" href="/s/${token}?lang=${language}&ask=cancel">${say('cancel')}</a></p>`}
  </section>`;
}

function askToCancel(scene: PortalScene): Html {
  const { view, say, token, language } = scene;
  const { status, activeUntil } = view;
  const isLater = (status === 'active' || status === 'trialing') && activeUntil !== null;
  return html`<div class="outcome">
    ${stateIcon('alert')}
    <h2>${say('cancelTitle')}</h2>
    <p>${isLater ? say('cancelLater', { date: dayIn(scene, activeUntil) }) : say('cancelNow')}</p>
    ${button(scene, 'cancel', say('cancelYes'))}
    <p><a class="link" href="/s/${token}?lang=${language}">${say('cancelNo')}</a></p>
  </div>`;
}

function history(scene: PortalScene): Html {
  const { view, say } = scene;
  return html`<section class="received" aria-label="${say('invoices')}">
    <h2 class="label">${say('invoices')}</h2>
    ${
      view.invoices.length === 0
        ? html`<p class="hint">${say('noInvoices')}</p>`
        : html`<ul>
            ${view.invoices.map((invoice) => entry(scene, invoice))}
          </ul>`
    }
  </section>`;
}

const STATUS_TEXTS = { open: 'invoiceOpen', paid: 'invoicePaid', void: 'invoiceVoid' } as const;

function entry(
  scene: PortalScene,
  { status, paymentId, periodStart, periodEnd, amount }: PortalInvoice,
): Html {
  const { view, say, common, language } = scene;
  const hasReceipt = status === 'paid' && paymentId !== null;
  return html`<li>
    <div>
      <b class="number">${fiat(amount, view.currency, language)}</b>
      <span class="hint"
        >${say('period', { from: dayIn(scene, periodStart), to: dayIn(scene, periodEnd) })}</span
      >
      <span class="hint"
        >${say(STATUS_TEXTS[status])}
        ${hasReceipt && html`<a href="/checkout/${paymentId}/receipt?lang=${language}">${common('receipt')}</a>`}</span
      >
    </div>
  </li>`;
}

function mail({ view, say, token, language, entered }: PortalScene): Html {
  const isWrong = entered !== null;
  return html`<form class="answers" method="post" action="/s/${token}/email?lang=${language}" novalidate>
    <h2 class="label">${say('email')}</h2>
    ${view.email !== null && html`<p class="hint">${say('emailText', { address: view.email })}</p>`}
    <div class="field">
      <label for="email">${say('emailNew')}</label>
      <input
        id="email"
        name="email"
        type="email"
        dir="ltr"
        autocomplete="email"
        maxlength="254"
        required
        value="${entered ?? ''}"
        ${isWrong && html`aria-invalid="true" autofocus aria-describedby="email-problem"`}
      />
      ${isWrong && html`<span id="email-problem" class="problem" role="alert">${say('emailInvalid')}</span>`}
    </div>
    <button class="link">${say('emailSave')}</button>
  </form>`;
}
