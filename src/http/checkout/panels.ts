import { COIN_DEFINITIONS, type Coin } from '../../domain/coins.ts';
import type { AmountDue } from '../../usecases/checkout/index.ts';
import { html, type Html } from '../pages/html.ts';
import type { PageModel } from './page-model.ts';
import { addressGroups } from './address-groups.ts';
import { formatCoins, fiat } from './format.ts';
import { coinIcon, copyIcon } from './icons.ts';
import { qrPath } from './qr.ts';

/** Which form the coin choice belongs to: without script it travels with the simulate buttons. */
export const SIMULATE_FORM = 'simulate';

/**
 * The payable coins and, for each, address and amount. All of them are in the page; the style sheet shows the
 * chosen one, so that the choice works without script.
 */
export function payPanels(scene: PageModel, amountLabel: string): Html {
  const { view, say } = scene;
  const chosen = chosenCoin(scene);
  return html`
    ${
      view.due.length > 1 &&
      html`<fieldset class="coins">
        <legend>${say('chooseCoin')}</legend>
        ${view.due.map((due) => coinChoice(due.coin, due.coin === chosen))}
      </fieldset>`
    }
    ${view.due.map((due, at) => panel(scene, due, { amountLabel, choice: at + 1 }))}
  `;
}

/** The coin already paid in, else the requested one, else the first payable one. */
function chosenCoin({ view, coin }: PageModel): Coin | undefined {
  const offered = (candidate: Coin | null | undefined): boolean =>
    view.due.some((due) => due.coin === candidate);
  const { exception, transactions } = view.payment;
  // Also the coin of money that the network dropped: it may still arrive.
  const isShown = ({ status }: { status: string }) => status !== 'reversed' || exception === 'reversed';
  const paidIn = transactions.findLast(isShown)?.coin;
  if (coin !== null && offered(coin)) return coin;
  return paidIn !== undefined && offered(paidIn) ? paidIn : view.due[0]?.coin;
}

function coinChoice(coin: Coin, checked: boolean): Html {
  return html`<label class="choice">
    <input
      type="radio"
      name="coin"
      value="${coin}"
      form="${SIMULATE_FORM}"
      id="coin-${coin}"
      ${checked && html`checked`}
    />
    ${coinIcon(coin)}<span><b>${coin}</b> <small>${COIN_DEFINITIONS[coin].name}</small></span>
  </label>`;
}

function panel(
  scene: PageModel,
  due: AmountDue,
  { amountLabel, choice }: { readonly amountLabel: string; readonly choice: number },
): Html {
  const { say, language, view } = scene;
  const { coin, address, uri } = due;
  const option = view.payment.options[coin];
  const rate =
    option === undefined
      ? null
      : say('rate', { coin, rate: fiat(option.rate, view.payment.currency, language) });
  return html`<section
    class="panel"
    data-coin="${coin}"
    data-choice="${String(choice)}"
    aria-label="${COIN_DEFINITIONS[coin].name}"
  >
    ${qr(scene, due)} ${uri !== null && html`<a class="button wallet" href="${uri}">${say('openWallet')}</a>`}
    <div class="facts">
      ${fact({
        label: amountLabel,
        value: html`<bdi><b class="number">${formatCoins(due.amount, language)}</b> ${coin}</bdi>`,
        copy: due.amount,
        copyLabel: say('copyAmount'),
      })}
      ${fact({
        label: say('address'),
        value: html`<code>${addressGroups(address)}</code>`,
        copy: address,
        copyLabel: say('copyAddress'),
      })}
    </div>
    <p class="hint">${say('network', { coin, network: COIN_DEFINITIONS[coin].name })} ${rate}</p>
  </section>`;
}

function qr({ say }: PageModel, { coin, amount, address, uri }: AmountDue): Html {
  const { size, path } = qrPath(uri ?? address);
  return html`<svg
    class="qr"
    viewBox="0 0 ${size} ${size}"
    role="img"
    aria-label="${say('qr', { amount, coin, address })}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#111" />
  </svg>`;
}

function fact(parts: { label: string; value: Html; copy: string; copyLabel: string }): Html {
  return html`<div class="fact">
    <div>
      <span class="label">${parts.label}</span>
      <span class="value">${parts.value}</span>
    </div>
    <button type="button" class="copy" data-copy="${parts.copy}" aria-label="${parts.copyLabel}" hidden>
      ${copyIcon}
    </button>
  </div>`;
}
