import { LANGUAGE_NAMES, textDirection, type Language } from '../../i18n/languages.ts';
import type { ShopProfile } from '../../usecases/shops/index.ts';
import { brandStyle } from '../brand/paths.ts';
import { html, jsonElement, type Html } from '../pages/html.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { stateIcon } from './icons.ts';
import { createTranslator, type Translate } from './negotiate-language.ts';
import { SIMULATE_FORM } from './panels.ts';
import type { PageModel } from './page-model.ts';
import { isFinal } from './page-model.ts';
import { supportLine } from './shop-head.ts';
import { announcement, describeState, pageTitle } from './states.ts';
import { summary } from './summary.ts';

export const SIMULATIONS = {
  exact: 'simulateExact',
  underpay: 'simulateUnderpay',
  overpay: 'simulateOverpay',
  late: 'simulateLate',
} as const;

const REFRESH_SECONDS = 15;

/** The whole checkout page. It is complete without script; the script keeps it current. */
export function checkoutPage(
  scene: PageModel,
  assets: WebAssets['checkout'],
  at: { readonly version: string; readonly now: number },
): string {
  const { view, say, language } = scene;
  const { payment } = view;
  const body = html`
    ${payment.sandbox && sandboxBanner(scene)}
    <p id="offline" class="offline" aria-hidden="true" hidden>${say('offline')}</p>
    <div class="page">
      <header id="summary" class="summary">${summary(scene)}</header>
      <main
        id="checkout"
        data-version="${at.version}"
        data-status="${scene.view.payment.status}"
        data-now="${at.now}"
        ${scene.embedder !== null && html`data-payment="${payment.id}" data-embedder="${scene.embedder}"`}
      >
        ${describeState(scene)}
      </main>
      ${footer({ ...scene, shop: view.shop }, scene.embedder)}
    </div>
    <p id="status" role="status" class="sr">${announcement(scene)}</p>
    <p id="toast" class="toast" aria-hidden="true" hidden></p>
    ${scriptTexts(say)}
  `;
  const refresh =
    !isFinal(view) && html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}" /></noscript>`;
  return renderDocument({ language, title: pageTitle(scene), assets, head: refresh, body, shop: view.shop });
}

/** Texts of the page's script. */
export function scriptTexts(say: Translate): Html {
  return jsonElement('texts', {
    copied: say('copied'),
    copyFailed: say('copyFailed'),
    offline: say('offline'),
    redirecting: say('redirecting'),
    simulateRefused: say('simulateRefused'),
  });
}

/**
 * A page with the reason why there is no checkout to show.
 * @param advice what to do, where it is not that of a checkout
 */
export function problemPage(
  kind: 'notFound' | 'noCoin' | 'error',
  language: Language,
  assets: WebAssets['checkout'],
  advice?: string,
): string {
  const say = createTranslator(language);
  const body = html`<div class="page">
    <main>
      <div class="outcome">
        ${stateIcon('alert')}
        <h1>${say(`${kind}Title`)}</h1>
        <p>${advice ?? say(`${kind}Text`)}</p>
      </div>
    </main>
  </div>`;
  return renderDocument({ language, title: say(`${kind}Title`), assets, head: false, body });
}

/** A document of the payer's pages around its body. */
export function renderDocument(parts: {
  language: Language;
  title: string;
  assets: { readonly script: string | null; readonly styles: readonly string[] } | null;
  head: Html | false;
  body: Html;
  /** The shop's colour, or the default one. */
  shop?: Pick<ShopProfile, 'accentColor'>;
}): string {
  const { language, title, assets, head, body, shop } = parts;
  const color = shop?.accentColor ?? null;
  return html`<!doctype html>
    <html lang="${language}" dir="${textDirection(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        ${assets?.styles.map((path) => html`<link rel="stylesheet" href="${path}" />`) ?? null}
        ${color !== null && html`<link rel="stylesheet" href="${brandStyle(color)}" />`}
        ${typeof assets?.script === 'string' && html`<script type="module" src="${assets.script}"></script>`}
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html>`.toString();
}

function sandboxBanner({ view, say, language }: PageModel): Html {
  const buttons = Object.entries(SIMULATIONS).map(
    ([scenario, text]) => html`<button name="scenario" value="${scenario}">${say(text)}</button>`,
  );
  return html`<aside class="sandbox" aria-label="${say('sandbox')}">
    <p><b>${say('sandbox')}</b></p>
    <form
      id="${SIMULATE_FORM}"
      method="post"
      action="/checkout/${view.payment.id}/simulate?lang=${language}"
      ${isFinal(view) && html`hidden`}
    >
      <span>${say('sandboxText')}</span>
      ${buttons}
    </form>
  </aside>`;
}

/** The support contact, and links to the page in the other languages. */
export function footer(
  { say, language, shop }: Pick<PageModel, 'say' | 'language'> & { readonly shop: ShopProfile },
  embedder: string | null = null,
): Html {
  const rest = embedder === null ? '' : `&embed=${encodeURIComponent(embedder)}`;
  const links = Object.entries(LANGUAGE_NAMES).map(
    ([code, name]) =>
      html`<a
        href="?lang=${code}${rest}"
        lang="${code}"
        hreflang="${code}"
        ${code === language && html`aria-current="true"`}
        >${name}</a
      >`,
  );
  return html`<footer>
    ${supportLine(shop, say)}
    <nav aria-label="${say('language')}">${links}</nav>
  </footer>`;
}
