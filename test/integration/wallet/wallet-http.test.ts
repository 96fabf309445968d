import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COINS, type Coin } from '../../../src/domain/coins.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

let till: Till;
let shop: Shop;

beforeAll(async () => {
  till = await Till.start();
  await till.ready();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

/** Takes a payment of 100 USD and answers what it brought into the wallet. */
async function earn(coin: Coin): Promise<string> {
  const before = parseCoinAmount(await shop.balance(coin), coin);
  const payment = await shop.createPayment();
  await shop.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: payment.id, scenario: 'exact', coin },
  });
  const earned = payment.options[coin].amount;
  const expected = formatCoinAmount(before + parseCoinAmount(earned, coin), coin);
  await eventually(
    `${coin} earned`,
    async () => shop.balance(coin),
    (now) => now === expected,
  );
  return earned;
}

async function get<T>(path: string, token = shop.secretKey) {
  return shop.api.call<T>('GET', path, { token });
}

function halfOf(amount: string, coin: Coin): string {
  return formatCoinAmount(parseCoinAmount(amount, coin) / 2n, coin);
}

describe.each(COINS)('the %s wallet over HTTP', (coin) => {
  test('estimates a fee, sends, reports the status of the send and lists received money', async () => {
    const earned = await earn(coin);
    const amount = halfOf(earned, coin);
    const body = { destination: strangers[coin], amount, coin };
    const estimate = await shop.api.must<{ fee: string; amount: string; total: string }>(
      'POST',
      '/merchant/wallet/estimate-fee',
      { token: shop.secretKey, body },
    );
    expect(estimate.amount).toBe(amount);
    const { status, body: answer } = await shop.send(body);
    expect(status).toBe(200);
    const sent = answer.data;
    expect(sent).toMatchObject({
      amount,
      fee: estimate.fee,
      destination: body.destination,
      status: 'broadcast',
    });
    const confirmed = await eventually(
      'the send confirmed',
      async () => (await get<SendJson>(`/merchant/wallet/send-status?sendId=${sent.id}`)).body.data,
      (now) => now.status === 'confirmed',
    );
    expect(confirmed).toMatchObject({ txHash: sent.txHash, fee: sent.fee });
    const byHash = await get<SendJson>(`/merchant/wallet/send-status?txHash=${sent.txHash}`);
    expect(byHash.body.data.id).toBe(sent.id);
    const book = await get<{
      transactions: { id: string; direction: string }[];
      pagination: { total: number };
    }>(`/merchant/wallet/transactions?coin=${coin}`);
    expect(book.body.data.transactions.map(({ direction }) => direction).toSorted()).toEqual(['in', 'out']);
    expect(book.body.data.pagination).toEqual({ page: 1, limit: 10, total: 2 });
  });
});

describe('a send over HTTP', () => {
  test('is made once with one Idempotency-Key, and rejected as a mismatch with another body', async () => {
    const earned = await earn('LTC');
    const body = { destination: strangers.LTC, amount: halfOf(earned, 'LTC'), coin: 'ltc' };
    const key = { 'Idempotency-Key': 'refund-7' };
    const first = await shop.send(body, key);
    const second = await shop.send(body, key);
    expect(second.body.data.id).toBe(first.body.data.id);
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    const other = await shop.send({ ...body, subtractFee: true }, key);
    expect([other.status, other.body.error?.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    const found = await get<SendJson>('/merchant/wallet/send-status?idempotencyKey=refund-7');
    expect(found.body.data.id).toBe(first.body.data.id);
  });

  test.each([
    ['destination', { destination: 'nowhere' }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '0.0000000001' }],
    ['coin', { coin: 'DOGE' }],
    ['subtractFee', { subtractFee: 'yes' }],
  ])('is answered with an error that names %s when that is invalid', async (field, change) => {
    const body = { destination: strangers.BTC, amount: '0.1', coin: 'BTC', ...change };
    const answer = await shop.send(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error?.code).toBe('VALIDATION_INVALID');
    expect(answer.body.error?.details?.map((detail) => detail.field)).toContain(field);
  });

  test('is answered with 400 INSUFFICIENT_BALANCE above the balance', async () => {
    const answer = await shop.send({ destination: strangers.BTC, amount: '1000', coin: 'BTC' });
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
  });
});

describe('the wallet of a merchant', () => {
  test.each([
    '/merchant/wallet/balances',
    '/merchant/wallet/transactions',
    '/merchant/wallet/send-status?sendId=a',
  ])('rejects public keys on %s', async (path) => {
    const answer = await get(path, shop.publicKey);
    expect([answer.status, answer.body.error?.code]).toEqual([401, 'UNAUTHORISED']);
  });

  test('is not visible to other merchants', async () => {
    const earned = await earn('BTC');
    const sent = await shop.send({ destination: strangers.BTC, amount: halfOf(earned, 'BTC'), coin: 'BTC' });
    const stranger = await Shop.open(till.api);
    const path = `/merchant/wallet/send-status?sendId=${sent.body.data.id}`;
    const answer = await get(path, stranger.secretKey);
    expect([answer.status, answer.body.error?.code]).toEqual([404, 'SEND_NOT_FOUND']);
    expect(await stranger.balance('BTC')).toBe('0');
  });
});

/** Test addresses from the BIPs and from unused keys. */
const strangers: Readonly<Record<Coin, string>> = {
  BTC: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  ETH: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  LTC: 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0',
  SOL: '7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv',
};

test('a send and a refund that were refused for insufficient balance succeed under the same Idempotency-Key once the wallet is funded', async () => {
  const other = await Shop.open(till.api);
  const keyed = async (path: string, key: string, body: object) =>
    other.api.call('POST', path, { token: other.secretKey, body, headers: { 'idempotency-key': key } });
  const send = async (key: string) =>
    keyed('/merchant/wallet/send', key, { coin: 'LTC', amount: '0.05', destination: strangers.LTC });
  const refused = await send('payout-1');
  expect([refused.status, refused.body.error?.code]).toEqual([400, 'INSUFFICIENT_BALANCE']);
  const payment = await other.createPayment({ allowedCryptos: ['LTC'] });
  const refund = async () =>
    keyed('/payment/refund', 'refund-1', {
      paymentId: payment.id,
      destination: strangers.LTC,
      amount: '0.1',
    });
  expect((await refund()).body.error?.code).toBe('INVALID_STATE');
  await other.api.must('POST', '/sandbox/payment/simulate', {
    token: other.secretKey,
    body: { paymentId: payment.id, scenario: 'exact', coin: 'LTC' },
  });
  await eventually(
    'the money is there',
    async () => other.balance('LTC'),
    (balance) => balance === payment.options.LTC.amount,
  );
  const sent = await send('payout-1');
  expect([sent.status, sent.headers.get('idempotent-replayed')]).toEqual([200, null]);
  expect((await send('payout-1')).headers.get('idempotent-replayed')).toBe('true');
  const back = await eventually('the change is there', refund, ({ status }) => status === 200);
  expect(back.headers.get('idempotent-replayed')).toBeNull();
  expect((await refund()).headers.get('idempotent-replayed')).toBe('true');
});
