import {
  nameForBody,
  escapeHtml,
  hostName,
  htmlMail,
  type MailText,
  safeOrderName,
  nameForSubject,
} from '../../usecases/mail/index.ts';
import { formatCoins, fiat } from './format.ts';
import type { PageModel } from './page-model.ts';
import {
  appliedRate,
  rateSources,
  receiptFacts,
  receivedMoney,
  refundMark,
  sellerLines,
} from './receipt-facts.ts';

/**
 * The receipt as an email. It excludes text that strangers can write into an order, except a plain order id.
 */
export function receiptMail(scene: PageModel, baseUrl: string): MailText {
  const { view, say, language } = scene;
  const { payment } = view;
  const shop = nameForBody(view.shop.name);
  const order = safeOrderName(payment, payment.id);
  const link = `${baseUrl}/checkout/${payment.id}/receipt?lang=${language}`;
  const subject = say('receiptSubject', { order, shop: nameForSubject(view.shop.name, hostName(baseUrl)) });
  const seller = sellerLines(scene);
  const mark = refundMark(scene);
  const blocks = [
    ...(payment.sandbox ? [say('sandbox')] : []),
    seller.length === 0 ? shop : seller.map(nameForBody).join('\n'),
    ...(mark === null ? [] : [mark]),
    factLines(scene, order).join('\n'),
    [say('received'), ...receivedLines(scene)].join('\n'),
    ...(view.moneyBack.length === 0 ? [] : [[say('sentBack'), ...sentBackLines(scene)].join('\n')]),
  ];
  const { supportContact } = view.shop;
  const footer = [
    ...(supportContact === null ? [] : [`${say('support')} ${supportContact}`]),
    say('receiptWhy', { shop }),
  ].join('\n');
  return {
    subject: payment.sandbox ? `Sandbox: ${subject}` : subject,
    text: `${blocks.join('\n\n')}\n\n${say('receiptPair', { name: say('receiptLink'), value: link })}\n\n-- \n${footer}\n`,
    html: htmlMail(language, [
      ...blocks.map(asHtml),
      `<a href="${escapeHtml(link)}">${escapeHtml(say('receiptLink'))}</a>`,
      asHtml(footer),
    ]),
    link,
    unsubscribe: null,
  };
}

function factLines(scene: PageModel, order: string): string[] {
  return receiptFacts(scene, order).map(([name, value]) => scene.say('receiptPair', { name, value }));
}

function receivedLines(scene: PageModel): string[] {
  const { say, language } = scene;
  return receivedMoney(scene).flatMap((transaction) => {
    const rate = appliedRate(scene, transaction);
    const sources = rateSources(scene, transaction);
    const amount = `${formatCoins(transaction.amount, language)} ${transaction.coin}`;
    return [
      rate === null ? amount : `${amount} (${rate})`,
      ...(sources === null ? [] : [sources]),
      say('receiptPair', { name: say('transaction'), value: transaction.txid }),
    ];
  });
}

function sentBackLines({ view, say, language }: PageModel): string[] {
  return view.moneyBack.flatMap(({ coin, amount, txid, fiatAmount }) => [
    `${formatCoins(amount, language)} ${coin}${fiatAmount === null ? '' : ` (${fiat(fiatAmount, view.payment.currency, language)})`}`,
    say('receiptPair', { name: say('transaction'), value: txid }),
  ]);
}

function asHtml(block: string): string {
  return escapeHtml(block).replace(/\n/g, '<br>');
}
