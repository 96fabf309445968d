import { afterAll, beforeAll, expect, test } from 'vitest';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';

const STRANGER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';
const ROUNDS = 6;

let till: TillProcess;
let shop: Shop;
beforeAll(async () => {
  till = await TillProcess.start();
  shop = await Shop.open(till.api);
});
afterAll(async () => till.end());

const send = async (key: string) =>
  shop.api.call<SendJson>('POST', '/merchant/wallet/send', {
    token: shop.secretKey,
    body: { coin: 'LTC', amount: '0.01', destination: STRANGER },
    headers: { 'idempotency-key': key },
  });

async function earn(): Promise<void> {
  const payment = await shop.createPayment({ allowedCryptos: ['LTC'] });
  await shop.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: payment.id, scenario: 'exact', coin: 'LTC' },
  });
}

test('a send with an idempotency key is paid once when the daemon is killed at any moment, and can be retried after a refusal', async () => {
  // Refused, and killed around the refusal: nothing was stored.
  const refused = send('payout').catch(() => null);
  await Promise.race([refused, new Promise((resolve) => setImmediate(resolve))]);
  await till.kill9();
  await refused;
  await till.up();
  expect((await send('payout')).body.error?.code).toBe('INSUFFICIENT_BALANCE');
  await till.kill9();
  await till.up();
  await earn();
  const sent = await eventually(
    'the money is there',
    async () => send('payout'),
    ({ status }) => status === 200,
  );
  const ids = new Set([sent.body.data.id]);
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = [send(`round-${round}`), send('payout')].map(async (each) => each.catch(() => null));
    // At another moment each time: from before the request is read to after its answer.
    for (let turn = 0; turn < round * 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await till.kill9();
    await Promise.all(asked);
    await till.up();
    expect((await send('payout')).body.data.id).toBe(sent.body.data.id);
    const again = await eventually(
      'there is money for the round',
      async () => send(`round-${round}`),
      ({ status }) => status === 200,
      60_000,
    );
    ids.add(again.body.data.id);
    expect((await send(`round-${round}`)).body.data.id).toBe(again.body.data.id);
  }
  const listed = await shop.api.must<{ transactions: { id: string; direction: string }[] }>(
    'GET',
    '/merchant/wallet/transactions?limit=100&direction=out',
    { token: shop.secretKey },
  );
  expect(listed.transactions.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
  expect(ids.size).toBe(ROUNDS + 1);
}, 240_000);
