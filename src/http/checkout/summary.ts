import { html, type Html } from '../pages/html.ts';
import { fiat } from './format.ts';
import { orderName, type PageModel } from './page-model.ts';
import { shopHead } from './shop-head.ts';

/** Recipient, amount and items. They change when the shop changes an unpaid order. */
export function summary(scene: PageModel): Html {
  const { view, say, language } = scene;
  const { payment, shop } = view;
  return html`${shopHead(shop, say)}
    <h1>
      <span class="label">${say('payment')}</span>
      <span class="total">${fiat(payment.amount, payment.currency, language)}</span>
    </h1>
    <p class="order">${say('order', { order: orderName(payment) })}</p>
    ${payment.description !== null && html`<p class="description">${payment.description}</p>`}
    ${payment.lines.length > 0 && lines(scene)}`;
}

function lines(scene: PageModel): Html {
  const { view, say } = scene;
  return html`<details class="lines">
    <summary>${say('lines', { count: view.payment.lines.length })}</summary>
    ${lineList(scene)}
  </details>`;
}

/** The items, line by line. */
export function lineList({ view, language }: PageModel): Html {
  const { payment } = view;
  const rows = payment.lines.map(
    ({ name, quantity, amount }) =>
      html`<li>
        <span>${quantity === 1 ? '' : `${quantity} × `}<bdi>${name}</bdi></span>
        <span class="number">${fiat(amount, payment.currency, language)}</span>
      </li>`,
  );
  return html`<ul>
    ${rows}
  </ul>`;
}
