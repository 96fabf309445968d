/** Labels in the format of BIP 329 over HTTP: export, import, and what they do to outputs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

interface Label {
  readonly type: string;
  readonly ref: string;
  readonly label?: string;
  readonly spendable?: boolean;
}

const OTHER = 'f'.repeat(64);
const STRANGER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

let till: Till;
let shop: Shop;
let paymentId: string;
let address: string;
/** Of the payment. */
let output: Label;

beforeAll(async () => {
  till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '100ms' });
  await till.ready();
  shop = await Shop.open(till.api);
  const { id, options } = await shop.createPayment({ orderId: 'order-7' });
  [paymentId, address] = [id, options.LTC.address];
  const body = { paymentId: id, scenario: 'exact', coin: 'LTC' };
  await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  await eventually(
    'the payment settled',
    async () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  const found = (await exported()).find(({ type }) => type === 'output');
  if (found === undefined) throw new Error('no output was exported');
  output = found;
});
afterAll(async () => till.end());

async function exported(): Promise<Label[]> {
  const path = '/merchant/wallet/labels?coin=LTC';
  return (await till.api.must<{ labels: Label[] }>('GET', path, { token: shop.secretKey })).labels;
}

async function importLines(lines: string) {
  return till.api.must('POST', '/merchant/wallet/labels', {
    token: shop.secretKey,
    body: { coin: 'LTC', labels: lines },
  });
}

/** As the list of outputs shows them. */
async function listedLabels(): Promise<(string | null)[]> {
  const { outputs } = await till.api.must<{ outputs: { label: string | null }[] }>(
    'GET',
    '/merchant/wallet/outputs?coin=LTC',
    { token: shop.secretKey },
  );
  return outputs.map(({ label }) => label);
}

const toLines = (labels: readonly object[]): string => labels.map((one) => JSON.stringify(one)).join('\n');

describe('GET /merchant/wallet/labels', () => {
  it('labels the output, the address and the transaction of a payment by its order', async () => {
    const label = `Order order-7 (${paymentId})`;
    const [txid = ''] = output.ref.split(':');
    expect(await exported()).toEqual([
      { type: 'output', ref: output.ref, spendable: true, label },
      { type: 'addr', ref: address, label },
      { type: 'tx', ref: txid, label },
    ]);
  });

  it('answers the lines of a file with format=jsonl', async () => {
    const answer = await fetch(`${till.api.baseUrl}/merchant/wallet/labels?coin=LTC&format=jsonl`, {
      headers: { authorization: `Bearer ${shop.secretKey}` },
    });
    expect(answer.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
    const lines = (await answer.text()).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(await exported());
  });

  it('rejects a coin without outputs', async () => {
    const path = '/merchant/wallet/labels?coin=ETH';
    expect((await till.api.call('GET', path, { token: shop.secretKey })).status).toBe(400);
  });
});

describe('POST /merchant/wallet/labels', () => {
  it('stores a file in the form of Sparrow, freezes its outputs, and the export returns its labels', async () => {
    const [txid = ''] = output.ref.split(':');
    const sparrow = [
      {
        type: 'tx',
        ref: txid,
        label: 'Rent',
        origin: "wpkh([d34db33f/84'/2'/0'])",
        height: 7,
        fee: 141,
        value: 9,
      },
      { type: 'addr', ref: address, label: 'Shop window', keypath: '/0/3', heights: [7] },
      { type: 'output', ref: output.ref, label: 'Savings', spendable: false, keypath: '/0/3', value: 9 },
      { type: 'xpub', ref: 'xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8Nq', label: 'Signer' },
      { type: 'tx', ref: OTHER, label: 'Not ours' },
    ];
    const done = await importLines(`${toLines(sparrow)}\nbroken`);
    expect(done).toEqual({
      labels: 3,
      frozen: 1,
      unfrozen: 0,
      unknown: 1,
      ignored: 1,
      truncated: 0,
      unreadable: [{ line: 6, message: 'is not JSON' }],
    });
    const labels = await exported();
    expect(labels.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { type: 'addr', ref: address, label: 'Shop window' },
      { type: 'output', ref: output.ref, label: 'Savings', spendable: false },
      { type: 'tx', ref: txid, label: 'Rent' },
    ]);
    expect(await shop.balance('LTC')).toBe('0');
    expect(await listedLabels()).toEqual(['Savings']);
    // The same file again changes nothing.
    expect(await importLines(toLines(labels))).toMatchObject({ labels: 3, frozen: 1, unknown: 0 });
    expect(await exported()).toEqual(labels);
  });

  it('leaves omitted fields as they are, unfreezes spendable outputs, and deletes a label by an empty one', async () => {
    await importLines(toLines([{ type: 'output', ref: output.ref, label: 'Next' }]));
    expect(await exported()).toContainEqual({
      type: 'output',
      ref: output.ref,
      label: 'Next',
      spendable: false,
    });
    await importLines(toLines([{ type: 'output', ref: output.ref, label: '', spendable: true }]));
    // That of its address.
    expect(await listedLabels()).toEqual(['Shop window']);
    expect(await exported()).toContainEqual(output);
    expect(await shop.balance('LTC')).not.toBe('0');
  });

  it('labels the transaction of a send by its note', async () => {
    const { body } = await shop.send({ coin: 'LTC', destination: STRANGER, amount: '0.25', note: 'Payout' });
    expect(await exported()).toContainEqual({ type: 'tx', ref: body.data.txHash, label: 'Send: Payout' });
    await importLines(toLines([{ type: 'tx', ref: body.data.txHash, label: 'Wages' }]));
    expect(await exported()).toContainEqual({ type: 'tx', ref: body.data.txHash, label: 'Wages' });
  });

  it('keeps labels of another shop apart, and loses those of an erased customer', async () => {
    await importLines(toLines([{ type: 'addr', ref: address, label: 'Mrs Smith' }]));
    const other = await Shop.open(till.api, { owner: shop.token });
    const body = { coin: 'LTC', labels: toLines([{ type: 'addr', ref: address, label: 'Mine' }]) };
    expect(
      await till.api.must('POST', '/merchant/wallet/labels', { token: other.secretKey, body }),
    ).toMatchObject({ labels: 0, unknown: 1 });
    expect(JSON.stringify(await exported())).toContain('Mrs Smith');
    await till.api.must('DELETE', '/merchant/customer/erase', {
      token: shop.token,
      body: { customerId: shop.customerId },
    });
    expect(JSON.stringify(await exported())).not.toContain('Mrs Smith');
  });
});
