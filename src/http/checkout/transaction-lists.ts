import type { Coin } from '../../domain/coins.ts';
import type { CheckoutView } from '../../usecases/checkout/index.ts';
import { html, type Html } from '../pages/html.ts';
import { formatCoins, count } from './format.ts';
import { coinIcon } from './icons.ts';
import type { PageModel } from './page-model.ts';
import { transactionLink } from './transaction-link.ts';

type Transaction = CheckoutView['payment']['transactions'][number];

/** Transactions shown of each kind. */
const SHOWN = 5;

/** Newest first, at most a handful, because anyone may send dust on purpose. */
export function receivedTransactions(scene: PageModel): Html | null {
  const { view, say } = scene;
  const { exception, transactions: all } = view.payment;
  const shown = all.filter(({ status }) => status !== 'reversed' || exception === 'reversed').slice(-SHOWN);
  return transactionList(
    say('received'),
    shown.toReversed().map((transaction) => receivedEntry(scene, transaction)),
  );
}

/** Refunds to the payer, by which they are found on the chain; newest first. */
export function sentBackTransactions({ view, say, language }: PageModel): Html | null {
  const shown = view.moneyBack.slice(-SHOWN).toReversed();
  return transactionList(
    say('sentBack'),
    shown.map(({ coin, amount, txid, isConfirmed }) =>
      entry({
        coin,
        amount: formatCoins(amount, language),
        hint: isConfirmed ? say('inBlock') : say('unconfirmed'),
        txid,
        explorers: view.explorers,
        label: say('transaction'),
      }),
    ),
  );
}

function receivedEntry({ view, say, language }: PageModel, transaction: Transaction): Html {
  const { coin, txid, amount, confirmations, status } = transaction;
  const option = view.payment.options[coin];
  const needed = option?.requiredConfirmations ?? 1;
  const done = Math.min(confirmations, needed);
  const progress = { done: count(done, language), needed: count(needed, language) };
  const isFinalOnChain = done === needed && (option?.finality ?? null) !== null;
  const counted = isFinalOnChain ? say('final') : say('confirmations', progress);
  const progressHint = done === 0 ? say('unconfirmed') : counted;
  return entry({
    coin,
    amount: formatCoins(amount, language),
    hint: status === 'reversed' ? say('dropped') : progressHint,
    txid,
    explorers: view.explorers,
    label: say('transaction'),
  });
}

function transactionList(title: string, entries: readonly Html[]): Html | null {
  if (entries.length === 0) return null;
  return html`<section class="received" aria-label="${title}">
    <h3 class="label">${title}</h3>
    <ul>
      ${entries}
    </ul>
  </section>`;
}

interface Entry {
  readonly coin: Coin;
  readonly amount: string;
  readonly hint: string;
  readonly txid: string;
  readonly explorers: CheckoutView['explorers'];
  /** The label of the id for screen readers. */
  readonly label: string;
}

function entry({ coin, amount, hint, label, ...transaction }: Entry): Html {
  const { txid } = transaction;
  return html`<li>
    ${coinIcon(coin)}
    <div>
      <b class="number"><bdi>${amount} ${coin}</bdi></b>
      <span class="hint">${hint}</span>
      <span class="txid" title="${txid}"
        >${transactionLink(
          transaction,
          { coin, txid },
          html`<span class="sr">${label}</span>
            <bdi dir="ltr">${txid.slice(0, 8)}&hellip;${txid.slice(-6)}</bdi>`,
        )}</span
      >
    </div>
  </li>`;
}
