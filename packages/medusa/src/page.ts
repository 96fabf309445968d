import type { MedusaResponse } from '@medusajs/framework/http';
import type { Health } from './flows/health';
import type { ShownPayment } from './flows/show';
import { messagesIn, type Language } from './messages';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#18181b}
h1{font-size:1.4rem}table{border-collapse:collapse}td,th{text-align:left;padding:.25rem 1.5rem .25rem 0;vertical-align:top}
article{border-top:1px solid #d4d4d8;padding:.75rem 0;overflow-wrap:anywhere}button{font:inherit;padding:.5rem 1rem}
.bad{color:#b91c1c}small{color:#52525b}@media(prefers-color-scheme:dark){body{background:#18181b;color:#f4f4f5}
small{color:#a1a1aa}.bad{color:#f87171}a{color:#93c5fd}}`;

/** Statuses of a claim that may not be sent for want of the network fee. */
const CLAIMED: readonly string[] = ['claimed', 'approved'];

/** A page of a few sentences. */
export function page(
  res: MedusaResponse,
  language: Language,
  title: string,
  sentences: readonly string[],
): void {
  send(res, language, title, sentences.map((sentence) => `<p>${escape(sentence)}</p>`).join(''));
}

/** The settings page. It needs no script. */
export function settingsPage(
  res: MedusaResponse,
  language: Language,
  health: Health,
  payments: readonly ShownPayment[],
): void {
  const words = messagesIn(language).page;
  const row = (name: string, works: boolean | null): string => {
    const text = works === null ? words.cannotSay : works ? words.yes : words.no;
    return `<tr><th scope="row">${escape(name)}</th><td${works === true ? '' : ' class="bad"'}>${escape(text)}</td></tr>`;
  };
  const facts = [
    `<tr><th scope="row">${escape(words.daemon)}</th><td>${escape(health.tilldUrl)}</td></tr>`,
    row(words.key, health.key),
    row(words.webhook, health.webhook),
    row(words.node, health.node),
  ].join('');
  const problems = health.problems.map((problem) => `<p class="bad">${escape(problem)}</p>`).join('');
  const button = escape(health.connected ? words.connectAgain : words.connect);
  const form = `<form method="post" action="/admin/tilld/connect"><button>${button}</button></form>`;
  const list =
    payments.map((payment) => paymentHtml(payment, language)).join('') || `<p>${escape(words.none)}</p>`;
  send(res, language, words.title, `<table>${facts}</table>${problems}${form}${list}`);
}

function paymentHtml(payment: ShownPayment, language: Language): string {
  const words = messagesIn(language).page;
  const order = payment.orderId === null ? '' : ` · ${escape(words.order)} ${escape(payment.orderId)}`;
  const title = `${escape(payment.amount)} ${escape(payment.currency)} · ${escape(payment.stateText)}${order}`;
  const notes = payment.notes
    .map(
      ({ at, text }) =>
        `<li><small><time datetime="${escape(at)}">${escape(at)}</time></small> ${escape(text)}</li>`,
    )
    .join('');
  const links = payment.refunds
    .filter(({ url, status }) => url !== '' && status === 'open')
    .map(({ url }) => `<p>${escape(words.claimLink)}: <a href="${escape(url)}">${escape(url)}</a></p>`)
    .join('');
  const forms = payment.refunds
    .filter(({ url, status, deductFee }) => url !== '' && CLAIMED.includes(status) && !deductFee)
    .map(({ id }) => renewForm(id, words.renewLessFee))
    .join('');
  return `<article><strong>${title}</strong><br><small>${escape(payment.id)}</small><ul>${notes}</ul>${links}${forms}</article>`;
}

function renewForm(refundId: string, text: string): string {
  const action = `/admin/tilld/refunds/${encodeURIComponent(refundId)}/renew?deduct_fee=true`;
  return `<form method="post" action="${escape(action)}"><button>${escape(text)}</button></form>`;
}

function send(res: MedusaResponse, language: Language, title: string, body: string): void {
  // Forms go on to tilld, wherever that is.
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors 'none'; base-uri 'none'";
  res.setHeader('content-security-policy', policy);
  res.setHeader('cache-control', 'no-store');
  res.setHeader('referrer-policy', 'no-referrer');
  res
    .type('html')
    .send(
      `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${escape(title)}</title><style>${STYLE}</style><main><h1>${escape(title)}</h1>${body}</main></html>`,
    );
}

function escape(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
