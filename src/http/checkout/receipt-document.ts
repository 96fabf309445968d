import type { PrintBlock, PrintColumn, PrintDocument } from '../../domain/print-document.ts';
import { fiat, formatCoins } from './format.ts';
import { orderName, type PageModel } from './page-model.ts';
import {
  appliedRate,
  rateSources,
  receiptFacts,
  receivedMoney,
  refundMark,
  sellerLines,
} from './receipt-facts.ts';

/** The receipt as a document to print. */
export function receiptDocument(scene: PageModel): PrintDocument {
  const { view, say, language } = scene;
  const { payment, shop } = view;
  const number = payment.receipt?.number ?? orderName(payment);
  const seller = sellerLines(scene);
  const mark = refundMark(scene);
  return {
    title: `${say('receipt')} ${number}, ${shop.name}`,
    language,
    createdAtMs: Date.parse(payment.receipt?.issuedAt ?? payment.createdAt),
    // {page} and {pages} are filled in by the renderer.
    footer: say('receiptFooter', { shop: shop.name, number, page: '{page}', pages: '{pages}' }),
    blocks: [
      { kind: 'title', text: `${say('receipt')} ${number}` },
      ...(payment.sandbox ? [{ kind: 'note', text: say('sandbox') } as const] : []),
      ...(mark === null ? [] : [{ kind: 'heading', text: mark } as const]),
      ...(seller.length === 0
        ? [{ kind: 'text', text: shop.name } as const]
        : [{ kind: 'heading', text: say('seller') } as const, ...texts(seller)]),
      { kind: 'heading', text: say('orderLabel') },
      table(
        [left('', 1), left('', 2)],
        [
          ...receiptFacts(scene, orderName(payment)),
          ...(payment.description === null ? [] : [[say('descriptionLabel'), payment.description] as const]),
        ],
      ),
      ...lines(scene),
      { kind: 'heading', text: say('received') },
      ...received(scene),
      ...sentBack(scene),
    ],
  };
}

const left = (title: string, share: number): PrintColumn => ({ title, share, align: 'left' });
const right = (title: string, share: number): PrintColumn => ({ title, share, align: 'right' });

function table(columns: readonly PrintColumn[], rows: readonly (readonly string[])[]): PrintBlock {
  return { kind: 'table', columns, rows };
}

function texts(lines: readonly string[]): PrintBlock[] {
  return lines.map((text) => ({ kind: 'text', text }));
}

function lines({ view: { payment }, say, language }: PageModel): PrintBlock[] {
  if (payment.lines.length === 0) return [];
  const columns = [left(say('itemColumn'), 5), right(say('quantityColumn'), 1), right(say('amount'), 2)];
  const rows = payment.lines.map(({ name, quantity, amount }) => [
    name,
    String(quantity),
    fiat(amount, payment.currency, language),
  ]);
  return [table(columns, rows)];
}

function received(scene: PageModel): PrintBlock[] {
  const { say, language } = scene;
  const money = receivedMoney(scene);
  const columns = [left(say('amount'), 2), left(say('rateColumn'), 2), left(say('transaction'), 4)];
  const rows = money.map((transaction) => [
    `${formatCoins(transaction.amount, language)} ${transaction.coin}`,
    appliedRate(scene, transaction) ?? '',
    transaction.txid,
  ]);
  const sources = new Set(money.map((transaction) => rateSources(scene, transaction)));
  return [
    table(columns, rows),
    ...[...sources].flatMap((text) => (text === null ? [] : [{ kind: 'note', text } as const])),
  ];
}

function sentBack({ view, say, language }: PageModel): PrintBlock[] {
  if (view.moneyBack.length === 0) return [];
  const { currency } = view.payment;
  const columns = [left(say('amount'), 2), left(say('valueColumn'), 2), left(say('transaction'), 4)];
  const rows = view.moneyBack.map(({ coin, amount, fiatAmount, txid }) => [
    `${formatCoins(amount, language)} ${coin}`,
    fiatAmount === null ? '' : fiat(fiatAmount, currency, language),
    txid,
  ]);
  return [{ kind: 'heading', text: say('sentBack') }, table(columns, rows)];
}
