/** Everything that gives money back, all at once, while the daemon is killed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { atoms, claimLink, read, refund, type RefundLinkJson } from './refund-client.ts';

const COIN = 'LTC';
/** 100 USD at a fixed price. */
const PRICE = '1';

type Link = RefundLinkJson & { preset: string | null };

let till: TillProcess;
let shop: Shop;
let payers: string[];

beforeAll(async () => {
  till = await TillProcess.start({ TILLD_PUBLIC_RATE_PER_MINUTE: '0' });
  await till.ready();
  shop = await Shop.open(till.api);
  const strangers = await Promise.all([1, 2, 3, 4, 5].map(() => Shop.open(till.api)));
  payers = strangers.map(({ wallets }) => wallets.LTC);
  // Pays the fees.
  await paid('exact');
});
afterAll(async () => till.end());

async function paid(...scenarios: readonly string[]): Promise<string> {
  const { id: paymentId } = await shop.createPayment({ allowedCryptos: [COIN] });
  for (const [index, scenario] of scenarios.entries()) {
    const body = { paymentId, scenario, coin: COIN, confirmations: 3 };
    await shop.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
    await eventually(
      'the money is final',
      () => read(shop, { id: paymentId }),
      ({ transactions }) =>
        transactions.length > index && transactions.every(({ confirmations }) => confirmations >= 3),
    );
  }
  return paymentId;
}

async function newLink(paymentId: string, fields: object): Promise<Link> {
  const body = { paymentId, ...fields };
  return shop.api.must<Link>('POST', '/payment/refund-link', { token: shop.secretKey, body });
}

async function linksOf(paymentId: string): Promise<Link[]> {
  const path = `/payment/refund-links?paymentId=${paymentId}&limit=100`;
  const { refundLinks } = await shop.api.must<{ refundLinks: Link[] }>('GET', path, {
    token: shop.secretKey,
  });
  return refundLinks;
}

/** Six links, on which fifty claims are made, with direct refunds and the shop's decisions between them. */
async function rush(paymentId: string, links: readonly Link[], returns: boolean): Promise<void> {
  const claims = Array.from({ length: 50 }, (_, at) =>
    claimLink(till.api, links[at % links.length]?.url ?? '', {
      coin: COIN,
      destination: payers[at % payers.length] ?? '',
    }),
  );
  const refunds = payers.map((destination, at) =>
    refund(shop, { paymentId, destination, amount: '0.1' }, { key: `${paymentId}-${at}` }),
  );
  const decide = async (): Promise<void> => {
    for (const { id: linkId, claimId, status } of await linksOf(paymentId)) {
      if (status !== 'claimed') continue;
      await shop.api.call('POST', '/payment/refund-link/approve', {
        token: shop.secretKey,
        body: { linkId, claimId },
      });
    }
    if (!returns) return;
    const body = { paymentId, action: 'refunded' };
    await shop.api.call('POST', '/payment/resolve', { token: shop.secretKey, body });
  };
  await Promise.allSettled([...claims, ...refunds, decide(), decide()]);
}

const sum = (amounts: readonly string[]): bigint =>
  amounts.reduce((total, amount) => total + atoms(amount, COIN), 0n);

it('concurrent refunds, claims and cancellations with kill -9 never refund more than received, nor pay a link twice, nor take an excess from the price', async () => {
  for (const returns of [false, true]) {
    const paymentId = await paid('exact', 'overpay');
    const links = [
      ...(await Promise.all([1, 2, 3].map(() => newLink(paymentId, { preset: 'excess' })))),
      await newLink(paymentId, { amount: '30', currency: 'USD', approval: true }),
      await newLink(paymentId, { amount: '20', currency: 'USD' }),
      await newLink(paymentId, { preset: 'all' }),
    ];
    const rushed = rush(paymentId, links, false);
    await eventually(
      'something is claimed',
      () => linksOf(paymentId),
      (now) => now.some(({ status }) => status !== 'open'),
    );
    await till.kill9();
    await till.up();
    await till.ready();
    await rushed;
    await rush(paymentId, links, returns);
    const ended = await eventually(
      'no claim waits to be tried',
      () => linksOf(paymentId),
      (now) =>
        now.every((link) => link.status !== 'approved' || link.problem !== null || link.sendId !== null),
    );
    const payment = await read(shop, { id: paymentId });
    const refunds = payment.refunds.filter(({ status }) => status !== 'failed');
    const received = atoms(payment.options[COIN].received, COIN);
    expect(sum(refunds.map(({ refunded }) => refunded))).toBeLessThanOrEqual(received);
    const sendIds = ended.flatMap(({ sendId }) => sendId ?? []);
    expect(new Set(sendIds).size).toBe(sendIds.length);
    expect(refunds.length).toBe(sendIds.length + refunds.filter(({ refunded }) => refunded === '0.1').length);
    const excess = ended.filter(({ preset, status }) => preset === 'excess' && status === 'paid');
    const price = parseCoinAmount(PRICE, COIN);
    expect(sum(excess.map(({ coinAmounts }) => coinAmounts.LTC ?? '0'))).toBeLessThanOrEqual(
      received - price,
    );
    expect(refunds.length).toBeGreaterThan(0);
  }
  expect(till.output).not.toContain('HTTP request failed with an internal error');
});
