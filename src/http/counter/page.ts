import { textDirection, type Language } from '../../i18n/languages.ts';
import { html, jsonElement } from '../pages/html.ts';
import type { WebAssets } from '../pages/web-assets.ts';
import { COUNTER_TEXTS } from './texts.ts';

const GROUND = '#0b6e4f';

/** The page of a counter: its script shows everything. */
export function counterPage(language: Language, assets: NonNullable<WebAssets['counter']>): string {
  const texts = COUNTER_TEXTS[language];
  return html`<!doctype html>
    <html lang="${language}" dir="${textDirection(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="${GROUND}" />
        <title>${texts.title}</title>
        <link rel="manifest" href="/counter/manifest.webmanifest?lang=${language}" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/counter/icon-192.png" />
        ${assets.styles.map((path) => html`<link rel="stylesheet" href="${path}" />`)}
        <script type="module" src="${assets.script}"></script>
      </head>
      <body>
        <div id="app"></div>
        <p id="status" role="status" class="sr"></p>
        ${jsonElement('texts', texts)}
      </body>
    </html>`.toString();
}

function icon(size: number, purpose: 'any' | 'maskable') {
  return { src: `./icon-${size}.png`, sizes: `${size}x${size}`, type: 'image/png', purpose };
}

/** The web app manifest. Its addresses are relative to its own, below any base path. */
export function counterManifest(language: Language): string {
  const { title, description } = COUNTER_TEXTS[language];
  return JSON.stringify({
    id: './app',
    name: `${title} · tilld`,
    short_name: title,
    description,
    lang: language,
    dir: textDirection(language),
    start_url: './app',
    scope: './',
    display: 'standalone',
    orientation: 'portrait',
    background_color: GROUND,
    theme_color: GROUND,
    icons: [icon(192, 'any'), icon(512, 'any'), icon(512, 'maskable')],
  });
}
