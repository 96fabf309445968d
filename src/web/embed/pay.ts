import type { Language } from '../../i18n/languages.ts';

/**
 * `/pay.js`, loaded by shops: opens a checkout over the shop's page. The daemon wraps it in a function, so
 * that `Tilld` is its only global. If the checkout may not be framed, or another error occurs, it navigates
 * to the checkout.
 */
interface Paid {
  readonly paymentId: string | null;
  readonly status: string | null;
}

interface Options {
  readonly paymentId?: string;
  /** URL of a checkout or a payment link. */
  readonly url?: string;
  /** Two letters; by default the payer's browser decides. */
  readonly lang?: string;
  /** Called once when money was seen, a part of it or all. The order is then in progress. */
  readonly onSeen?: (payment: Paid) => void;
  /** Called once when the payment is completed. For the page only: deliver on the webhook. */
  readonly onPaid?: (payment: Paid) => void;
  readonly onStatus?: (payment: Paid) => void;
  readonly onClose?: (payment: Paid) => void;
}

interface Handle {
  close(): void;
}

/** The checkout must report `ready` within this time, otherwise the page navigates to it. */
const READY_MS = 10_000;
/** A blocked frame also finishes loading, without a message. */
const LOADED_MS = 2_500;
/** Money was seen and has not vanished. */
const SEEN = /^(underpaid|confirming|completed)$/;
const PHONE = '(max-width: 600px)';
const CLOSE: Readonly<Record<string, string>> = {
  de: 'Schließen',
  es: 'Cerrar',
  fr: 'Fermer',
  it: 'Chiudi',
  nl: 'Sluiten',
  pl: 'Zamknij',
  pt: 'Fechar',
  ar: 'إغلاق',
} satisfies Record<Exclude<Language, 'en'>, string>;

const script =
  document.currentScript instanceof HTMLScriptElement
    ? document.currentScript
    : document.querySelector<HTMLScriptElement>('script[src$="/pay.js"]');
/** Where the daemon is served; `/pay.js` is next to its other paths. */
const base = (script?.src ?? `${location.origin}/pay.js`).replace(/\/pay\.js(?:[?#].*)?$/, '');
const till = new URL(base).origin;

function buildCheckoutUrl({ paymentId, url, lang }: Options): URL {
  const address = new URL(
    paymentId === undefined ? (url ?? '') : `${base}/checkout/${encodeURIComponent(paymentId)}`,
    `${base}/`,
  );
  if (address.origin !== till || address.href.split(/[?#]/, 1)[0] === `${base}/`) {
    throw new Error(`Tilld.open needs a paymentId, or a url at ${base}`);
  }
  if (lang !== undefined) address.searchParams.set('lang', lang);
  return address;
}

function isPhone(): boolean {
  return matchMedia(PHONE).matches;
}

/** By properties, because the shop's policy may forbid style sheets and style attributes. */
function styled<E extends HTMLElement>(element: E, css: string): E {
  element.style.cssText = css;
  return element;
}

function boxCss(): string {
  const size = isPhone()
    ? 'width:100%;height:100%;border-radius:0'
    : 'width:min(460px,94vw);height:min(780px,94vh);border-radius:20px';
  return `position:absolute;inset:0;margin:auto;overflow:hidden;background:Canvas;${size}`;
}

function draw(address: URL, lang: string | undefined) {
  const language = (lang ?? document.documentElement.lang).slice(0, 2).toLowerCase();
  const dialog = styled(
    document.createElement('dialog'),
    'position:fixed;inset:0;width:100vw;height:100dvh;max-width:none;max-height:none;margin:0;border:0;padding:0;background:rgb(0 0 0/55%);color-scheme:light dark',
  );
  dialog.setAttribute('aria-modal', 'true');
  dialog.setAttribute('aria-label', 'Checkout');
  const box = styled(document.createElement('div'), boxCss());
  const bar = styled(document.createElement('div'), 'display:flex;justify-content:flex-end;height:44px');
  const button = styled(
    document.createElement('button'),
    'width:44px;height:44px;border:0;padding:0;background:none;color:CanvasText;font:26px/1 system-ui,sans-serif;cursor:pointer',
  );
  button.type = 'button';
  button.textContent = '×';
  button.setAttribute('aria-label', CLOSE[language] ?? 'Close');
  const frame = styled(
    document.createElement('iframe'),
    // Shown once the checkout reports: a blocked frame would show an error of the browser.
    'display:block;width:100%;height:calc(100% - 44px);border:0;visibility:hidden',
  );
  const progress = styled(
    document.createElement('progress'),
    'position:absolute;inset:0;margin:auto;width:120px',
  );
  progress.setAttribute('aria-label', 'Checkout');
  frame.title = 'Checkout';
  frame.allow = 'clipboard-write';
  frame.src = address.href;
  bar.append(button);
  box.append(bar, frame, progress);
  dialog.append(box);
  const reveal = (): void => {
    frame.style.visibility = 'visible';
    progress.remove();
  };
  return { dialog, box, button, frame, reveal };
}

/** Reports every status, and once each that money was seen and that the payment is completed. */
function reporter({ onStatus, onSeen, onPaid }: Options): (payment: Paid) => void {
  let isSeen = false;
  let isPaid = false;
  return (payment) => {
    const { status } = payment;
    onStatus?.(payment);
    if (!isSeen && SEEN.test(status ?? '')) {
      isSeen = true;
      onSeen?.(payment);
    }
    if (status !== 'completed' || isPaid) return;
    isPaid = true;
    onPaid?.(payment);
  };
}

function open(options: Options): Handle {
  const address = buildCheckoutUrl(options);
  const goThere = (): void => location.assign(address.href);
  const nothing: Handle = { close: () => undefined };
  const framed = new URL(address);
  framed.searchParams.set('embed', location.origin);
  const { dialog, box, button, frame, reveal } = draw(framed, options.lang);
  if (typeof dialog.showModal !== 'function' || location.origin === 'null') {
    goThere();
    return nothing;
  }
  let payment: Paid = { paymentId: options.paymentId ?? null, status: null };
  let waiting = window.setTimeout(giveUp, READY_MS);
  const report = reporter(options);
  const media = matchMedia(PHONE);
  const fit = (): void => void styled(box, boxCss());
  const root = document.documentElement.style;
  const overflow = root.overflow;

  function end(): void {
    clearTimeout(waiting);
    removeEventListener('message', hear);
    media.removeEventListener('change', fit);
    dialog.close();
    dialog.remove();
    root.overflow = overflow;
  }

  function giveUp(): void {
    end();
    goThere();
  }

  function close(): void {
    if (!dialog.isConnected) return;
    end();
    options.onClose?.(payment);
  }

  /** Only from the daemon's origin, and only from within this frame. */
  function hear({ origin, source, data }: MessageEvent<unknown>): void {
    if (origin !== till || source !== frame.contentWindow || typeof data !== 'object' || data === null)
      return;
    const said = data as Partial<Paid> & { readonly tilld?: unknown };
    if (said.tilld === 'close') return close();
    if (said.tilld !== 'ready' && said.tilld !== 'status') return;
    clearTimeout(waiting);
    waiting = -1;
    reveal();
    payment = { paymentId: said.paymentId ?? payment.paymentId, status: said.status ?? null };
    report(payment);
  }

  frame.addEventListener('load', () => {
    if (waiting === -1) return;
    clearTimeout(waiting);
    waiting = window.setTimeout(giveUp, LOADED_MS);
  });
  addEventListener('message', hear);
  media.addEventListener('change', fit);
  button.addEventListener('click', close);
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    close();
  });
  document.body.append(dialog);
  root.overflow = 'hidden';
  dialog.showModal();
  return { close };
}

/** Buttons and links of the page that name a payment, also those added later. */
function openByClick(event: MouseEvent): void {
  const { target } = event;
  const element =
    target instanceof Element
      ? target.closest<HTMLElement>('[data-tilld-payment],[data-tilld-url],a[data-tilld]')
      : null;
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (element === null || event.defaultPrevented || !isPlain) return;
  const { tilldPayment: paymentId, tilldUrl, tilldLang: lang } = element.dataset;
  const url = tilldUrl ?? element.getAttribute('href') ?? undefined;
  const tell = (name: string) => (detail: Paid) =>
    void element.dispatchEvent(new CustomEvent(`tilld:${name}`, { bubbles: true, detail }));
  event.preventDefault();
  open({
    ...(paymentId === undefined ? { url: url ?? '' } : { paymentId }),
    ...(lang === undefined ? {} : { lang }),
    onSeen: tell('seen'),
    onPaid: tell('paid'),
    onStatus: tell('status'),
    onClose: tell('close'),
  });
}

if (!('Tilld' in window)) {
  Object.defineProperty(window, 'Tilld', { value: Object.freeze({ open }) });
  document.addEventListener('click', openByClick);
}
