import type { ShopNotice } from '../../domain/notices.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import { noticeTexts } from '../../usecases/notices/index.ts';
import { renderDocument } from '../checkout/document.ts';
import { html, type Html } from '../pages/html.ts';
import type { WebAssets } from '../pages/web-assets.ts';

type Styles = WebAssets['checkout'];

/** The page that asks for confirmation to switch off mails of a kind, or confirms it. It needs no script. */
export function unsubscribePage(
  scene: {
    readonly kind: ShopNotice;
    readonly shop: string;
    readonly language: Language;
    readonly isDone: boolean;
  },
  assets: Styles,
): string {
  const texts = noticeTexts(scene.language);
  const question = interpolate(texts.offQuestion, { kind: texts.kinds[scene.kind], shop: scene.shop });
  const content = scene.isDone
    ? html`<p role="status">${texts.offDone}</p>`
    : html`<p>${question}</p>
        <form method="post"><button class="button">${texts.offButton}</button></form>`;
  return renderPage(scene.language, assets, { title: texts.offTitle, content });
}

/** The page for an invalid link. */
export function unsubscribeProblemPage(language: Language, assets: Styles): string {
  const texts = noticeTexts(language);
  const content = html`<p role="alert">${texts.offInvalid}</p>`;
  return renderPage(language, assets, { title: texts.offTitle, content });
}

/** A page that a mail leads to. It needs no script. */
export function renderPage(
  language: Language,
  assets: Styles,
  { title, content }: { readonly title: string; readonly content: Html },
): string {
  const body = html`<div class="page">
    <main>
      <div class="outcome">
        <h1>${title}</h1>
        ${content}
      </div>
    </main>
  </div>`;
  const styles = assets === null ? null : { ...assets, script: null };
  return renderDocument({ language, title, assets: styles, head: false, body });
}
