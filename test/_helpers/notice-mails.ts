import { Shop } from './api-client.ts';
import { eventually } from './poll.ts';
import { readable, subjectOf, tokenIn, type ReceivedMail, type SmtpSink } from './smtp-sink.ts';
import type { Till } from './till.ts';

export const to = (sink: SmtpSink, email: string, subject: RegExp): ReceivedMail[] =>
  sink.mails.filter((mail) => mail.to[0] === email && subject.test(subjectOf(mail)));
export const arrived = async (
  sink: SmtpSink,
  email: string,
  subject: RegExp,
  count = 1,
): Promise<ReceivedMail[]> =>
  eventually(
    `${count} mails about ${subject.source}`,
    () => to(sink, email, subject),
    (mails) => mails.length >= count,
    30_000,
  );

/** A shop whose owner has confirmed the address and wants to hear of test payments. */
export async function openShop(
  sink: SmtpSink,
  till: Pick<Till, 'api'>,
  kinds = {},
): Promise<{ shop: Shop; email: string }> {
  const shop = await Shop.open(till.api);
  const { user } = await till.api.must<{ user: { email: string } }>('GET', '/auth/me', { token: shop.token });
  const [mail] = await arrived(sink, user.email, /Confirm your email/);
  await till.api.must('POST', '/auth/verify-email', {
    token: shop.token,
    body: { token: tokenIn(readable(mail?.raw ?? '')) },
  });
  await choose(shop, { testPayments: true, kinds });
  return { shop, email: user.email };
}

export const choose = async (shop: Shop, fields: object) =>
  shop.api.must<{ notices: { kinds: { kind: string; enabled: boolean; fixed: boolean }[] } }>(
    'PATCH',
    '/merchant/notices',
    { token: shop.token, body: { merchantId: shop.merchantId, ...fields } },
  );

/** A payment that Bitcoin of the sandbox pays by a scenario. */
export async function pay(shop: Shop, scenario: string, orderId: string): Promise<string> {
  const { id } = await shop.createPayment({ orderId });
  await shop.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: id, scenario, coin: 'BTC' },
  });
  return id;
}
