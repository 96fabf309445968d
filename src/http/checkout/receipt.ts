import type { CheckoutView, ReceiptMail } from '../../usecases/checkout/index.ts';
import { html, type Html } from '../pages/html.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { renderDocument, footer, scriptTexts } from './document.ts';
import { formatCoins, fiat } from './format.ts';
import { coinIcon, copyIcon } from './icons.ts';
import { checkoutPath, orderName, receiptMailPath, receiptPdfPath, type PageModel } from './page-model.ts';
import {
  appliedRate,
  rateSources,
  receiptFacts,
  receivedMoney,
  refundMark,
  sellerLines,
} from './receipt-facts.ts';
import { shopHead } from './shop-head.ts';
import { transactionLink } from './transaction-link.ts';
import { lineList } from './summary.ts';

type Transaction = CheckoutView['payment']['transactions'][number];

/**
 * The receipt to keep, to print or to mail: complete without script, which adds only copying and the print
 * button. @param mail null if it cannot be mailed
 */
export function receiptPage(
  scene: PageModel,
  assets: WebAssets['checkout'],
  mail: ReceiptMail | null,
): string {
  const { view, say, language } = scene;
  const { payment, shop } = view;
  const title = `${say('receipt')} ${payment.receipt?.number ?? orderName(payment)}, ${shop.name}`;
  const mark = refundMark(scene);
  const body = html`
    ${
      payment.sandbox &&
      html`<aside class="sandbox" aria-label="${say('sandbox')}">
        <p><b>${say('sandbox')}</b></p>
      </aside>`
    }
    <div class="page receipt">
      <header class="summary">${shopHead(shop, say)}</header>
      <main id="receipt">
        <h1>${say('receipt')}${payment.receipt !== null && html` <bdi>${payment.receipt.number}</bdi>`}</h1>
        ${mark !== null && html`<p class="mark">${mark}</p>`} ${sellerBlock(scene)} ${facts(scene)}
        ${payment.lines.length > 0 && html`<section class="lines">${lineList(scene)}</section>`}
        ${received(scene)} ${sentBack(scene)} ${mail !== null && mailing(scene, mail)}
        <p><button type="button" class="button" data-print hidden>${say('print')}</button></p>
        <p><a class="link" href="${receiptPdfPath(scene)}" download>${say('downloadPdf')}</a></p>
        <p><a class="link" href="${checkoutPath(scene)}">${say('backToPayment')}</a></p>
      </main>
      ${footer({ ...scene, shop }, scene.embedder)}
    </div>
    <p id="status" role="status" class="sr"></p>
    <p id="toast" class="toast" aria-hidden="true" hidden></p>
    ${scriptTexts(say)}
  `;
  return renderDocument({ language, title, assets, head: false, body, shop });
}

/** The button that mails the receipt, or the state of the email. In the sandbox the state is not shown. */
function mailing(scene: PageModel, { to, state }: ReceiptMail): Html {
  const { say, view } = scene;
  const { sandbox } = view.payment;
  const statusText = sandbox ? 'receiptRequested' : MAIL_TEXTS[state];
  return html`<section class="mailing" aria-label="${say('mailReceipt')}">
    ${
      statusText === null || state === 'unsent'
        ? html`<form method="post" action="${receiptMailPath(scene)}">
            <button class="button">${say('mailReceipt')}</button>
            <p class="hint">${say('mailReceiptTo', { address: to })}</p>
          </form>`
        : html`<p role="status">${say(statusText, { address: to })}</p>`
    }
    ${sandbox && html`<p class="hint">${say('receiptSandbox')}</p>`}
  </section>`;
}

const MAIL_TEXTS = {
  unsent: null,
  pending: 'receiptPending',
  sent: 'receiptSent',
  failed: 'receiptFailed',
} as const;

function facts(scene: PageModel): Html {
  const { view, say } = scene;
  const { description } = view.payment;
  const rows = [
    ...receiptFacts(scene, orderName(view.payment)),
    ...(description === null ? [] : [[say('descriptionLabel'), description] as const]),
  ];
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div class="fact">
          <dt class="label">${name}</dt>
          <dd><bdi>${value}</bdi></dd>
        </div>`,
    )}
  </dl>`;
}

function sellerBlock(scene: PageModel): Html | null {
  const [name, ...rest] = sellerLines(scene);
  if (name === undefined) return null;
  return html`<section class="seller" aria-label="${scene.say('seller')}">
    <h2 class="label">${scene.say('seller')}</h2>
    <p>
      <b><bdi>${name}</bdi></b>
      ${rest.map((line) => html`<br /><bdi>${line}</bdi>`)}
    </p>
  </section>`;
}

function received(scene: PageModel): Html {
  const { say } = scene;
  return html`<section class="received" aria-label="${say('received')}">
    <h2 class="label">${say('received')}</h2>
    <ul>
      ${receivedMoney(scene).map((transaction) =>
        movement(scene, transaction, [appliedRate(scene, transaction), rateSources(scene, transaction)]),
      )}
    </ul>
  </section>`;
}

function sentBack(scene: PageModel): Html | null {
  const { view, say, language } = scene;
  if (view.moneyBack.length === 0) return null;
  return html`<section class="received" aria-label="${say('sentBack')}">
    <h2 class="label">${say('sentBack')}</h2>
    <ul>
      ${view.moneyBack.map((back) =>
        movement(scene, back, [
          back.fiatAmount === null ? null : fiat(back.fiatAmount, view.payment.currency, language),
        ]),
      )}
    </ul>
  </section>`;
}

function movement(
  { view, say, language }: PageModel,
  { coin, amount, txid }: Pick<Transaction, 'coin' | 'amount' | 'txid'>,
  hints: readonly (string | null)[],
): Html {
  return html`<li>
    ${coinIcon(coin)}
    <div>
      <b class="number"><bdi>${formatCoins(amount, language)} ${coin}</bdi></b>
      ${hints.map((hint) => hint !== null && html`<span class="hint">${hint}</span>`)}
      <span class="sr">${say('transaction')}</span>
      ${transactionLink(view, { coin, txid }, html`<code class="whole">${txid}</code>`)}
    </div>
    <button type="button" class="copy" data-copy="${txid}" aria-label="${say('copyTransaction')}" hidden>
      ${copyIcon}
    </button>
  </li>`;
}
