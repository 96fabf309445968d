import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import type { Language } from '../../i18n/languages.ts';
import type { ClaimOption } from '../../usecases/refunds/index.ts';
import { renderDocument, footer } from '../checkout/document.ts';
import { addressGroups } from '../checkout/address-groups.ts';
import { formatCoins, formatDay, fiat } from '../checkout/format.ts';
import { coinIcon, stateIcon } from '../checkout/icons.ts';
import { createTranslator } from '../checkout/negotiate-language.ts';
import { shopHead } from '../checkout/shop-head.ts';
import { html, type Html } from '../pages/html.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { describeOutcome } from './outcomes.ts';
import { pageQuery, type RefundPageModel } from './page-model.ts';

type Styles = WebAssets['checkout'];

const REFRESH_SECONDS = 15;
const LONGEST_ADDRESS = 200;

/** The page on which a payer claims a refund. It needs no script. */
export function refundPage(scene: RefundPageModel, assets: Styles): string {
  const { link, say, language } = scene;
  const amount = fiat(link.amount, link.currency, language);
  const isMoving = ['claimed', 'approved', 'waiting'].includes(link.status);
  const refresh =
    isMoving && html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}" /></noscript>`;
  const body = html`
    ${link.sandbox && html`<aside class="sandbox"><p>${say('refundSandbox')}</p></aside>`}
    <div class="page">
      ${summary(scene, amount)}
      <main>
        ${renderNotice(scene).map((text) => html`<p class="notice" role="alert">${text}</p>`)}
        ${link.status === 'open' ? (scene.confirm === undefined ? form(scene) : confirmation(scene)) : describeOutcome(scene)}
        ${scene.request !== undefined && html`<p><a class="link" href="${scene.request.checkout}">${say('backToPayment')}</a></p>`}
      </main>
      ${footer({ ...scene, shop: link.shop }, scene.request?.embedder ?? null)}
    </div>
  `;
  const title = say('refundTitle', { amount, shop: link.shop.name });
  return renderDocument({
    language,
    title,
    assets: withoutScript(assets),
    head: refresh,
    body,
    shop: link.shop,
  });
}

/** A page with the reason why there is no refund to show. */
export function refundProblemPage(
  kind: 'notFound' | 'error' | 'tooOften',
  language: Language,
  assets: Styles,
): string {
  const say = createTranslator(language);
  const title = say(kind === 'notFound' ? 'refundNotFoundTitle' : 'errorTitle');
  const texts = {
    notFound: 'refundNotFoundText',
    error: 'refundErrorText',
    tooOften: 'mistakeTooOften',
  } as const;
  const body = html`<div class="page">
    <main>
      <div class="outcome">
        ${stateIcon('alert')}
        <h1>${title}</h1>
        <p>${say(texts[kind])}</p>
      </div>
    </main>
  </div>`;
  return renderDocument({ language, title, assets: withoutScript(assets), head: false, body });
}

function renderNotice({ notice, link, confirm, say }: RefundPageModel): string[] {
  if (notice !== undefined) return [notice];
  const texts = {
    amount: 'refundReopenedAmount',
    destination: 'refundReopenedAddress',
    send: 'refundReopened',
  } as const;
  return link.reopenedBy === null || confirm !== undefined ? [] : [say(texts[link.reopenedBy])];
}

function withoutScript(assets: Styles): Parameters<typeof renderDocument>[0]['assets'] {
  return assets === null ? null : { ...assets, script: null };
}

function summary({ link, say, language, request }: RefundPageModel, amount: string): Html {
  const { shop } = link;
  return html`<header class="summary">
    ${shopHead(shop, say)}
    <h1>
      <span class="label">${say('refundOf')}</span>
      <span class="total">${amount}</span>
    </h1>
    <p class="order">${say('order', { order: link.order })}</p>
    ${link.reason !== null && html`<p class="order">${say('refundReason', { reason: link.reason })}</p>`}
    ${
      link.status === 'open' &&
      request === undefined &&
      html`<p class="order">${say('refundUntil', { date: formatDay(link.expiresAt, language) })}</p>`
    }
  </header>`;
}

function form(scene: RefundPageModel): Html {
  const { link, say, entered, mistake } = scene;
  const isWrong = mistake?.field === 'destination';
  return html`<form class="claim" method="post" action="?${pageQuery(scene)}">
    <p>${say(scene.request === undefined ? 'refundIntro' : 'excessIntro', { shop: link.shop.name })}</p>
    <fieldset class="coins refund">
      <legend>${say('refundChoose')}</legend>
      ${link.options.map((option, at) => choice(scene, option, isChosen(scene, option, at)))}
    </fieldset>
    ${mistake?.field === 'coin' && html`<p class="mistake" role="alert">${mistake.text}</p>`}
    <div class="field">
      <label for="destination">${say('refundAddress')}</label>
      <input
        id="destination"
        name="destination"
        type="text"
        dir="ltr"
        required
        maxlength="${LONGEST_ADDRESS}"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        value="${entered?.destination ?? ''}"
        aria-describedby="${isWrong ? 'mistake hint' : 'hint'}"
        ${isWrong && html`aria-invalid="true" autofocus`}
      />
      ${isWrong && html`<p id="mistake" class="mistake" role="alert">${mistake.text}</p>`}
      <p id="hint" class="hint">${say('refundAddressHint')}</p>
    </div>
    <p class="hint">
      ${say(link.deductsFee ? 'refundFeeYours' : 'refundFeeShop')}
      ${link.needsApproval && say('refundApproval')}
    </p>
    <button class="button" name="step" value="check">${say('refundContinue')}</button>
  </form>`;
}

function isChosen({ entered }: RefundPageModel, { coin }: ClaimOption, at: number): boolean {
  return entered === undefined || entered.coin === '' ? at === 0 : entered.coin === coin;
}

function choice({ language }: RefundPageModel, { coin, atoms }: ClaimOption, isChecked: boolean): Html {
  return html`<label class="choice">
    <input type="radio" name="coin" value="${coin}" required ${isChecked && html`checked`} />
    ${coinIcon(coin)}<span
      ><b class="number"><bdi>${formatCoins(formatCoinAmount(atoms, coin), language)} ${coin}</bdi></b>
      <small>${COIN_DEFINITIONS[coin].name}</small></span
    >
  </label>`;
}

function confirmation(scene: RefundPageModel): Html {
  const { link, say, language, confirm, entered } = scene;
  if (confirm === undefined || entered === undefined)
    throw new Error('refund confirmation without an entered address');
  const { option, preview } = confirm;
  const shown = (amount: string): Html => html`<bdi>${formatCoins(amount, language)} ${option.coin}</bdi>`;
  return html`<form class="claim" method="post" action="?${pageQuery(scene)}">
    <h2>${say('refundCheckTitle')}</h2>
    <p>${say('refundCheckText')}</p>
    <dl class="facts">
      ${fact(say('refundTo'), html`<code>${addressGroups(entered.destination)}</code>`)}
      ${fact(say('refundAmount'), shown(preview.amount))} ${link.deductsFee && fees(scene, shown)}
      ${!link.deductsFee && fact(say('refundArrives'), shown(preview.amount))}
    </dl>
    <p class="hint">
      ${!link.deductsFee && say('refundFeeShop')} ${link.needsApproval && say('refundApproval')}
    </p>
    <input type="hidden" name="coin" value="${option.coin}" />
    <input type="hidden" name="destination" value="${entered.destination}" />
    ${scene.request !== undefined && html`<input type="hidden" name="amount" value="${preview.amount}" />`}
    <button class="button" name="step" value="claim">
      ${say(link.needsApproval ? 'refundAsk' : 'refundSendNow')}
    </button>
    <button class="link" name="step" value="edit">${say('refundChange')}</button>
  </form>`;
}

function fees({ say, confirm }: RefundPageModel, shown: (amount: string) => Html): Html {
  const fee = confirm?.preview.fee ?? null;
  const arrives = confirm?.preview.arrives ?? null;
  if (fee === null || arrives === null) return fact(say('refundFee'), say('refundFeeUnknown'));
  return html`${fact(say('refundFee'), shown(fee))} ${fact(say('refundArrivesAbout'), shown(arrives))}`;
}

function fact(label: string, value: Html | string): Html {
  return html`<div class="fact">
    <dt class="label">${label}</dt>
    <dd class="value">${value}</dd>
  </div>`;
}
