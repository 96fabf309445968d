import {
  nameForBody,
  escapeHtml,
  hostName,
  htmlMail,
  type MailText,
  safeOrderName,
  nameForSubject,
} from '../../usecases/mail/index.ts';
import { formatCoins, fiat, momentIn } from './format.ts';
import type { PageModel } from './page-model.ts';
import { appliedRate } from './receipt.ts';

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
  const blocks = [
    ...(payment.sandbox ? [say('sandbox')] : []),
    shop,
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

function factLines({ view, say, language }: PageModel, order: string): string[] {
  const { payment, shop, completedAt } = view;
  return [
    say('receiptPair', { name: say('orderLabel'), value: order }),
    say('receiptPair', { name: say('total'), value: fiat(payment.amount, payment.currency, language) }),
    ...(completedAt === null
      ? []
      : [say('receiptPair', { name: say('paidOn'), value: momentIn(completedAt, shop.timeZone, language) })]),
  ];
}

function receivedLines(scene: PageModel): string[] {
  const { view, say, language } = scene;
  return view.payment.transactions
    .filter(({ status }) => status !== 'reversed')
    .flatMap((transaction) => {
      const rate = appliedRate(scene, transaction);
      const amount = `${formatCoins(transaction.amount, language)} ${transaction.coin}`;
      return [
        rate === null ? amount : `${amount} (${rate})`,
        say('receiptPair', { name: say('transaction'), value: transaction.txid }),
      ];
    });
}

function sentBackLines({ view, say, language }: PageModel): string[] {
  return view.moneyBack.flatMap(({ coin, amount, txid }) => [
    `${formatCoins(amount, language)} ${coin}`,
    say('receiptPair', { name: say('transaction'), value: txid }),
  ]);
}

function asHtml(block: string): string {
  return escapeHtml(block).replace(/\n/g, '<br>');
}
