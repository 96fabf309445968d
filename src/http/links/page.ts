import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import { minorUnitDigits } from '../../domain/currencies.ts';
import type { LinkField } from '../../domain/payment-link.ts';
import type { NumberSigns } from '../../domain/typed-amount.ts';
import { formatLocale, type Language } from '../../i18n/languages.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { AskedField } from '../../store/schema/payment-links.ts';
import type { LinkFormProblem, LinkFormProblems, LinkView } from '../../usecases/links/index.ts';
import { shopProfile } from '../../usecases/shops/index.ts';
import { renderDocument, footer } from '../checkout/document.ts';
import { currencyName, fiat } from '../checkout/format.ts';
import { coinIcon, stateIcon } from '../checkout/icons.ts';
import { shopHead, supportLine } from '../checkout/shop-head.ts';
import { html, type Html } from '../pages/html.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { pricePerInterval } from '../subscription-page/texts.ts';
import { speakLink, type SayLink } from './texts.ts';

/** No exchange rate of the link's currency is known, or none of its coins can be used. */
export type Obstacle = 'unpriced' | 'noCoin';

/** The input so far, and its errors. */
export interface Filled {
  readonly values: Readonly<Record<LinkField | 'amount', string>>;
  readonly problems: LinkFormProblems;
  /** No exchange rate of the currency is known. */
  /** Why no payment could be created, whatever the input. */
  readonly obstacle?: Obstacle;
}

export interface LinkPage {
  readonly link: LinkView;
  readonly language: Language;
  /** The site that shows the page in a frame; null for a page of its own. */
  readonly embedder: string | null;
  readonly filled: Filled;
  /** In which a payment of this server can be paid. */
  readonly coins: readonly Coin[];
}

type Scene = LinkPage & ReturnType<typeof speakLink>;

/** The page of a payment link, or the keypad of a counter: a plain form, complete without script. */
export function linkPage(page: LinkPage, assets: WebAssets['checkout']): string {
  const scene: Scene = { ...page, ...speakLink(page.language) };
  const { link, language, embedder, say, common } = scene;
  const shop = shopProfile(link.merchant);
  const title = say('title', { name: link.name, shop: shop.name });
  const body = html`
    ${
      link.merchant.sandbox &&
      html`<aside class="sandbox" aria-label="${common('sandbox')}">
        <p><b>${common('sandbox')}</b></p>
      </aside>`
    }
    <div class="page" ${embedder !== null && html`data-embedder="${embedder}"`}>
      ${summary(scene)}
      <main>${form(scene)}</main>
      ${footer({ say: common, language, shop }, embedder)}
    </div>
  `;
  return renderDocument({ language, title, assets, head: false, body, shop });
}

/** The page of a closed link. */
export function closedPage(merchant: MerchantRow, language: Language, assets: WebAssets['checkout']): string {
  const { say, common } = speakLink(language);
  const shop = shopProfile(merchant);
  const body = html`<div class="page">
    <main>
      <div class="outcome">
        ${stateIcon('stop')}
        <h1>${say('closedTitle')}</h1>
        <p>${say('closedText', { shop: shop.name })}</p>
        ${supportLine(shop, common)}
      </div>
    </main>
  </div>`;
  return renderDocument({ language, title: say('closedTitle'), assets, head: false, body, shop });
}

/** The digit and decimal separators of a language. */
export function numberSymbols(language: Language): NumberSigns {
  const parts = new Intl.NumberFormat(formatLocale(language)).formatToParts(12_345.6);
  const sign = (type: string): string => parts.find((part) => part.type === type)?.value ?? '';
  return { decimal: sign('decimal'), group: sign('group') };
}

function price({ link, language }: Scene, amount: string): string {
  const shown = fiat(amount, link.currency, language);
  return link.recurring === null ? shown : pricePerInterval(language, link.recurring.interval, shown);
}

function summary(scene: Scene): Html {
  const { link, common } = scene;
  const { merchant, fixed } = link;
  return html`<header class="summary">
    ${shopHead(shopProfile(merchant), common)}
    <h1>
      <span class="${fixed === null ? 'name' : 'label'}">${link.name}</span>
      ${fixed !== null && html`<span class="total">${price(scene, fixed.amount)}</span>`}
    </h1>
    ${link.description !== null && html`<p class="order">${link.description}</p>`}
  </header>`;
}

function form(scene: Scene): Html {
  const { link, language, embedder, say } = scene;
  const query = new URLSearchParams({ lang: language, ...(embedder === null ? {} : { embed: embedder }) });
  const isCounter = link.kind === 'pos';
  return html`<form class="answers" method="post" action="?${query.toString()}" novalidate>
    ${link.fixed === null && amount(scene)} ${isCounter && keypad(scene)}
    ${link.fields.map((field) => askedInput(scene, field))}
    ${link.recurring !== null && html`<p class="hint">${say('subscribeText')}</p>`}
    ${
      scene.filled.obstacle !== undefined &&
      html`<p class="problem" role="alert">
        ${say(scene.filled.obstacle, { currency: currencyName(link.currency, language) })}
      </p>`
    }
    <button class="button">
      ${say(isCounter ? 'charge' : link.recurring === null ? 'goOn' : 'subscribe')}
    </button>
    ${!isCounter && acceptedCoins(scene)}
  </form>`;
}

/** Tells payers before the checkout whether they own a coin that is accepted. */
function acceptedCoins({ coins, say }: Scene): Html {
  return html`<ul class="coins" aria-label="${say('coins')}">
    ${coins.map((coin) => html`<li>${coinIcon(coin)} ${COIN_DEFINITIONS[coin].name}</li>`)}
  </ul>`;
}

function amount(scene: Scene): Html {
  const { link, language, filled, say } = scene;
  const { min, max, suggested = [] } = link.open ?? {};
  const shown = (value: string): string => fiat(value, link.currency, language);
  const limits =
    min !== undefined && max !== undefined
      ? say('between', { min: shown(min), max: shown(max) })
      : min !== undefined
        ? say('from', { min: shown(min) })
        : max !== undefined && say('upTo', { max: shown(max) });
  return html`${input(scene, {
    name: 'amount',
    label: say('amount', { currency: currencyName(link.currency, language) }),
    kind: html`type="text" dir="ltr" inputmode="decimal" maxlength="40" class="amount number"`,
    required: suggested.length === 0,
    value: filled.values.amount,
    hint: limits === false ? null : limits,
  })}
  ${
    suggested.length > 0 &&
    html`<div class="suggested" role="group" aria-label="${say('choose')}">
      <span class="label">${say('choose')}</span>
      ${suggested.map((value) => html`<button name="suggested" value="${value}">${shown(value)}</button>`)}
    </div>`
  }`;
}

function key(sign: string): Html {
  return html`<button type="button" value="${sign}">${sign}</button>`;
}

/** Rendered completely and hidden: the script shows it and enables its keys. */
function keypad({ language, link, say }: Scene): Html {
  const digits = minorUnitDigits(link.currency);
  const { decimal } = numberSymbols(language);
  return html`<div
    id="keypad"
    data-digits="${digits}"
    data-decimal="${decimal}"
    role="group"
    aria-label="${say('keypad')}"
    hidden
  >
    ${['1', '2', '3', '4', '5', '6', '7', '8', '9'].map(key)}
    ${digits > 0 ? key(decimal) : html`<button type="button" value="clear" aria-label="${say('clear')}">C</button>`}
    ${key('0')}
    <button type="button" value="erase" aria-label="${say('erase')}">&#9003;</button>
  </div>`;
}

const KINDS: Readonly<Record<LinkField, Html>> = {
  email: html`type="email" dir="ltr" autocomplete="email" maxlength="254"`,
  name: html`type="text" autocomplete="name" maxlength="120"`,
  note: html`type="text" autocomplete="off" maxlength="500"`,
};

function askedInput(scene: Scene, { name, required }: AskedField): Html {
  const { say, filled } = scene;
  const label = required ? say(name) : `${say(name)} ${say('optional')}`;
  return input(scene, { name, label, kind: KINDS[name], required, value: filled.values[name], hint: null });
}

interface Input {
  readonly name: LinkField | 'amount';
  readonly label: string;
  readonly kind: Html;
  readonly required: boolean;
  readonly value: string;
  readonly hint: string | null;
}

function input(scene: Scene, { name, label, kind, required, value, hint }: Input): Html {
  const problem = scene.filled.problems[name];
  const notes = [
    ...(problem === undefined
      ? []
      : [html`<span id="${name}-problem" class="problem">${problemText(scene, name, problem)}</span>`]),
    ...(hint === null ? [] : [html`<span id="${name}-hint" class="hint">${hint}</span>`]),
  ];
  const ids = [problem === undefined ? '' : `${name}-problem`, hint === null ? '' : `${name}-hint`];
  const described = ids.filter((id) => id !== '').join(' ');
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      ${kind}
      value="${value}"
      ${required && html`required`}
      ${problem !== undefined && html`aria-invalid="true" autofocus`}
      ${described !== '' && html`aria-describedby="${described}"`}
    />
    ${notes}
  </div>`;
}

function problemText(scene: Scene, name: Input['name'], problem: LinkFormProblem): string {
  const { link, language, say }: { link: LinkView; language: Language; say: SayLink } = scene;
  const shown = (value: string): string => fiat(value, link.currency, language);
  const min = link.open?.min;
  if (problem === 'tooLow' && min !== undefined) return say('tooLow', { min: shown(min) });
  if (problem === 'invalid' && name === 'amount')
    return say('invalidAmount', { example: exampleAmount(link, language) });
  if (problem === 'invalid' && name === 'email') return say('invalidEmail');
  return say(problem);
}

/** In the number format of the language. */
function exampleAmount({ currency }: LinkView, language: Language): string {
  const digits = minorUnitDigits(currency);
  return new Intl.NumberFormat(formatLocale(language), { minimumFractionDigits: digits }).format(12);
}
