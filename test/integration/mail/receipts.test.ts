/** Receipts by mail, from the receipt's page and from the shop, to a real SMTP receiver. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressScript } from '../../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { toAtoms } from '../../_helpers/nodes/index.ts';
import { openShop } from '../../_helpers/notice-mails.ts';
import { eventually } from '../../_helpers/poll.ts';
import { partsOf, SmtpSink, type ReceivedMail, subjectOf } from '../../_helpers/smtp-sink.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';
import { TillBesideNodes } from '../../_helpers/daemon-with-nodes.ts';

interface ReceiptJson {
  readonly url: string | null;
  readonly mail: { readonly to: string; readonly state: string } | null;
}

let sink: SmtpSink;
let world: TillBesideNodes;
let count = 0;

beforeAll(async () => {
  sink = await SmtpSink.start();
  world = await TillBesideNodes.start({
    TILLD_SMTP_URL: sink.url,
    TILLD_TRUST_PROXY: '127.0.0.1',
    TILLD_SANDBOX_BLOCK_INTERVAL: '10m',
  });
  await world.switchTo('live');
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await sink?.stop();
});

/** A customer of the shop that no other test writes to. */
function newPayer(): string {
  count += 1;
  return `payer-${count}@example.org`;
}

async function created(fields: object = {}) {
  const body = { amount: '100', currency: 'USD', orderId: `order-${(count += 1)}`, ...fields };
  const answer = await world.till.api.must<{
    id: string;
    options: Record<string, { address: string; amount: string }>;
  }>('POST', '/payment/create', { token: world.shop.publicKey, body: { allowedCryptos: ['BTC'], ...body } });
  return answer;
}

/** A live payment that Bitcoin completed. */
async function paid(fields: object = {}): Promise<{ id: string; txid: string }> {
  const { id, options } = await created(fields);
  const { address, amount } = options['BTC']!;
  const txid = world.node.pay(addressScript(UTXO_COINS.BTC, 'regtest', address), toAtoms(amount));
  world.node.mine(2);
  await eventually(
    'paid',
    async () => world.shop.payment(id),
    ({ status }) => status === 'completed',
  );
  return { id, txid };
}

const base = (): string => world.till.api.baseUrl;
const page = async (id: string, lang = 'en'): Promise<string> =>
  (await fetch(`${base()}/checkout/${id}/receipt?lang=${lang}`)).text();

/** Presses the button, as a browser without script does; each client at an address of its own. */
async function press(id: string, options: { lang?: string; headers?: Record<string, string> } = {}) {
  const { lang = 'en', headers = {} } = options;
  count += 1;
  return fetch(`${base()}/checkout/${id}/receipt/mail?lang=${lang}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', 'x-forwarded-for': `10.0.${count >> 8}.${count & 255}`, ...headers },
  });
}

const to = (email: string): ReceivedMail[] => sink.mails.filter((mail) => mail.to[0] === email);
const arrived = async (email: string): Promise<ReceivedMail> =>
  (
    await eventually(
      `a mail to ${email}`,
      () => to(email),
      (mails) => mails.length > 0,
    )
  )[0]!;
/** Mails leave in the order in which they were queued: what has not come before this one never will. */
async function afterAnother(): Promise<void> {
  const email = newPayer();
  const { id } = await paid({ customer: { email } });
  expect((await press(id)).status).toBe(303);
  await arrived(email);
}
const ofShop = async (id: string): Promise<ReceiptJson> =>
  world.till.api.must('GET', `/payment/receipt?paymentId=${id}`, { token: world.shop.secretKey });

/** What the page says about the mail. */
const told = async (id: string): Promise<string> =>
  (await page(id)).match(/<section class="mailing[\s\S]*?<\/section>/)?.[0] ?? '';
/** Offered nothing, and refused in the same words whatever the reason. */
const refused = async (id: string): Promise<void> => {
  const shown = await page(id);
  expect(shown).not.toContain('Email me the receipt');
  const answer = await press(id);
  expect(answer.status).toBe(303);
  const json = await press(id, { headers: { accept: 'application/json' } });
  expect(json.status).toBe(409);
  expect(await json.json()).toMatchObject({
    error: { code: 'INVALID_STATE', message: 'The receipt of this payment cannot be mailed' },
  });
};

/** A shop in the sandbox whose owner has confirmed the address. */
const openSandbox = async (): ReturnType<typeof openShop> => {
  const opened = await openShop(sink, world.till);
  await world.till.api.must('POST', '/merchant/sandbox', {
    token: opened.shop.secretKey,
    body: { sandboxMode: true },
  });
  return opened;
};

describe('a receipt that a payer requests by email', () => {
  it('is sent to the address of the customer with the paid amount, and the receipt page then shows that it was sent', async () => {
    const email = newPayer();
    const { id, txid } = await paid({
      customer: { email },
      orderId: 'A-1001',
      description: 'Buy at evil.example',
    });
    expect(await page(id)).toContain('Email me the receipt');
    expect(await page(id)).toContain('To p…@example.org');
    expect(await page(id)).not.toContain(email);
    const answer = await press(id);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/checkout/${id}/receipt?lang=en`]);
    const mail = await arrived(email);
    expect(subjectOf(mail)).toBe('Receipt for order A-1001 (Shop)');
    expect(mail.raw).toContain(`Message-ID: <receipt_${id}@127.0.0.1>`);
    const { text, html } = partsOf(mail.raw);
    for (const body of [text, html]) {
      for (const piece of [
        'A-1001',
        '$100.00',
        ' BTC (1 BTC = $',
        txid,
        `http://localhost:${new URL(base()).port}/checkout/${id}/receipt?lang=en`,
      ]) {
        expect(body).toContain(piece);
      }
      expect(body).not.toContain('evil');
    }
    expect(text).toMatch(/Paid on: \w+ \d+, \d{4} at .* UTC/);
    await eventually(
      'the page says so',
      () => page(id),
      (shown) => shown.includes('The receipt has been emailed to p…@example.org.'),
    );
    expect(await page(id)).not.toContain('Email me the receipt</button>');
    expect(await ofShop(id)).toMatchObject({
      url: `http://localhost:${new URL(base()).port}/checkout/${id}/receipt`,
      mail: { to: 'p…@example.org', state: 'sent' },
    });
  });

  it.each([
    ['en', 'Receipt for order', 'Transaction: '],
    ['de', 'Beleg zur Bestellung', 'Transaktion: '],
    ['es', 'Recibo del pedido', 'Transacción: '],
    ['fr', 'Reçu de la commande', 'Transaction\u00a0: '],
    ['it', 'Ricevuta per l’ordine', 'Transazione: '],
    ['nl', 'Betaalbewijs voor bestelling', 'Transactie: '],
    ['pl', 'Potwierdzenie zapłaty za zamówienie', 'Transakcja: '],
    ['pt', 'Recibo do pedido', 'Transação: '],
    ['ar', 'إيصال الطلب', 'المعاملة: '],
  ])('is in the language of the page: %s', async (lang, subject, transaction) => {
    const email = newPayer();
    const { id } = await paid({ customer: { email } });
    await press(id, { lang });
    const { text, html } = partsOf((await arrived(email)).raw);
    expect(html).toContain(`<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(decodedSubject(await arrived(email))).toMatch(subject);
    expect(text).toContain(transaction);
  });

  it('contains times in the time zone of the shop, and refunds', async () => {
    const { api } = world.till;
    const edit = async (fields: object) =>
      api.must('PATCH', '/merchant/edit', {
        token: world.shop.token,
        body: { merchantId: world.shop.merchantId, ...fields },
      });
    await edit({ timeZone: 'Asia/Tokyo', supportContact: 'help@shop.example' });
    const email = newPayer();
    const { id } = await paid({ customer: { email }, locale: 'de' });
    const { refund } = await api.must<{ refund: { txHash: string } }>('POST', '/payment/refund', {
      token: world.shop.secretKey,
      body: {
        paymentId: id,
        destination: 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
        amount: '0.0001',
        maxFee: '0.001',
      },
    });
    await eventually(
      'the refund is under way',
      () => page(id),
      (shown) => shown.includes(refund.txHash),
    );
    await api.must('POST', '/payment/receipt/mail', { token: world.shop.secretKey, body: { paymentId: id } });
    const { text } = partsOf((await arrived(email)).raw);
    expect(text).toMatch(/Bezahlt am: .*(GMT\+9|JST)/);
    expect(text.replaceAll('\u00a0', ' ')).toContain(
      `An Sie zurückgesendet\n0,0001 BTC (10,00 $)\nTransaktion: ${refund.txHash}`,
    );
    expect(text).toContain('help@shop.example');
    await edit({ timeZone: null, supportContact: '' });
  });

  it('is sent once, however often and by whom the button is pressed', async () => {
    const email = newPayer();
    const { id } = await paid({ customer: { email } });
    const presses = Array.from({ length: 20 }, async (_, at) =>
      at % 4 === 0
        ? world.till.api.call('POST', '/payment/receipt/mail', {
            token: world.shop.secretKey,
            body: { paymentId: id },
          })
        : press(id),
    );
    const statuses = (await Promise.all(presses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 303]));
    await arrived(email);
    await press(id);
    await afterAnother();
    expect(to(email)).toHaveLength(1);
  });

  it('is shown as failed on the receipt page when it could not be delivered', async () => {
    sink.behaviour = { rcpt: '550 no such mailbox' };
    const email = newPayer();
    const { id } = await paid({ customer: { email } });
    await press(id);
    await eventually(
      'the page says so',
      () => page(id),
      (shown) => shown.includes('could not be delivered to p…@example.org'),
    );
    sink.behaviour = {};
  });
});

describe('a receipt by email that cannot be sent', () => {
  it('is neither offered nor sent for a payment without money', async () => {
    const email = newPayer();
    const { id } = await created({ customer: { email } });
    await refused(id);
    expect(await ofShop(id)).toMatchObject({ url: null, pdfUrl: null, number: null, mail: null });
    await afterAnother();
    expect(to(email)).toEqual([]);
  });

  it('is neither offered nor sent for a payment without a known customer', async () => {
    await refused((await paid({ customer: {} })).id);
  });

  it('is neither offered nor sent without a mail server', async () => {
    await using till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
    await till.ready();
    const shop = await Shop.open(till.api);
    const { id } = await shop.createPayment();
    const body = { paymentId: id, scenario: 'exact', coin: 'BTC', confirmations: 9 };
    await till.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
    const receipt = `${till.api.baseUrl}/checkout/${id}/receipt`;
    expect(await (await fetch(`${receipt}?lang=en`)).text()).not.toContain('Email me');
    const answer = await fetch(`${receipt}/mail`, {
      method: 'POST',
      headers: { accept: 'application/json' },
    });
    expect(answer.status).toBe(409);
  });
});

describe('a visitor of the receipt page who is not the payer', () => {
  it('cannot choose the email address', async () => {
    const email = newPayer();
    const { id } = await paid({ customer: { email } });
    await fetch(`${base()}/checkout/${id}/receipt/mail?email=thief@example.com&to=thief@example.com`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '10.9.9.9' },
      body: 'email=thief@example.com&to=thief@example.com',
    });
    expect((await arrived(email)).to).toEqual([email]);
    expect(to('thief@example.com')).toEqual([]);
  });

  it('cannot distinguish a missing payment from one of another shop', async () => {
    expect((await press('pay_unknown')).status).toBe(404);
    const other = await Shop.open(world.till.api);
    const { id } = await paid({ customer: { email: newPayer() } });
    for (const [method, path] of [
      ['GET', `/payment/receipt?paymentId=${id}`],
      ['POST', '/payment/receipt/mail'],
    ] as const) {
      const answer = await world.till.api.call(method, path, {
        token: other.secretKey,
        ...(method === 'POST' ? { body: { paymentId: id } } : {}),
      });
      expect([answer.status, answer.body.error?.code]).toEqual([404, 'PAYMENT_NOT_FOUND']);
    }
  });

  it('cannot make visitors of another site request a receipt', async () => {
    const email = newPayer();
    const { id } = await paid({ customer: { email } });
    const senders: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of senders) {
      expect((await press(id, { headers })).status).toBe(303);
    }
    expect(await ofShop(id)).toMatchObject({ mail: { state: 'unsent' } });
  });

  it('is rate limited after ten requests in a minute', async () => {
    const { id } = await paid({ customer: { email: newPayer() } });
    const headers = { 'x-forwarded-for': '10.200.0.1' };
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) statuses.push((await press(id, { headers })).status);
    expect(statuses).toEqual([...Array<number>(10).fill(303), 429]);
  });

  it('cannot insert a header, markup or text into an email', async () => {
    const email = newPayer();
    const orderId = 'x\r\nBcc: thief@example.com\r\n\r\n<script>alert(1)</script> https://evil.example';
    await world.till.api.must('PATCH', '/merchant/edit', {
      token: world.shop.token,
      body: { merchantId: world.shop.merchantId, name: 'A\r\nBcc: spy@example.com\n<b>&' },
    });
    const { id } = await paid({ customer: { email }, orderId });
    await press(id);
    const mail = await arrived(email);
    const [head = ''] = mail.raw.split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc/im);
    expect(mail.to).toEqual([email]);
    expect(decodedSubject(mail)).toBe(
      `Receipt for order ${id} (${new URL(world.till.api.baseUrl.replace('127.0.0.1', 'localhost')).host})`,
    );
    const { text, html } = partsOf(mail.raw);
    expect(text).toContain(`Order: ${id}`);
    // A gap of no width keeps programs that show mails from making links of the name.
    expect(html).toContain('A Bcc: spy@\u200bexample.\u200bcom &lt;b&gt;&amp;');
    for (const body of [text, html]) expect(body).not.toMatch(/evil|script/);
    const long = await paid({ customer: { email: newPayer() }, orderId: 'L'.repeat(255) });
    await world.till.api.must('PATCH', '/merchant/edit', {
      token: world.shop.token,
      body: { merchantId: world.shop.merchantId, name: 'Shop' },
    });
    await press(long.id);
    const shortened = await eventually(
      'the mail of the long order',
      () => sink.mails.find(({ raw }) => raw.includes(`receipt_${long.id}`)),
      (found) => found !== undefined,
    );
    expect(partsOf(shortened!.raw).text).toContain(`Order: ${long.id}`);
  });
});

describe('a receipt by email in sandbox mode', () => {
  it('is sent only to members of the shop, whom the page does not name', async () => {
    const { shop, email } = await openSandbox();
    const pay = async (customer: string): Promise<string> => {
      const body = { email: customer };
      const { id } = await shop.createPayment({ customerId: undefined, customer: body });
      await world.till.api.must('POST', '/sandbox/payment/simulate', {
        token: shop.secretKey,
        body: { paymentId: id, scenario: 'exact', coin: 'BTC', confirmations: 9 },
      });
      return id;
    };
    const stranger = email.replace('owner', 'other');
    const [own, strangers] = [await pay(email), await pay(stranger)];
    for (const id of [own, strangers]) {
      expect(await page(id)).toContain('only to confirmed addresses of people of the shop');
      await press(id);
    }
    const mail = await eventually(
      'the mail to the owner',
      () => to(email).find((one) => subjectOf(one).startsWith('Sandbox: Receipt')),
      (found) => found !== undefined,
    );
    expect(partsOf(mail!.raw).text).toContain('Sandbox: no real money');
    expect(to(stranger)).toEqual([]);
    expect(await told(own)).toContain('A receipt to o…@example.com was requested.');
    expect(await told(own)).toBe(await told(strangers));
  });

  it('is limited to twenty an hour per member', async () => {
    const { shop, email } = await openSandbox();
    const receipts = () => to(email).filter((one) => subjectOf(one).startsWith('Sandbox: Receipt'));
    const states: (string | undefined)[] = [];
    for (let at = 0; at < 22; at += 1) {
      const { id } = await shop.createPayment({ customerId: undefined, customer: { email } });
      const simulate = { paymentId: id, scenario: 'exact', coin: 'BTC', confirmations: 9 };
      await world.till.api.must('POST', '/sandbox/payment/simulate', {
        token: shop.secretKey,
        body: simulate,
      });
      const { mail } = await world.till.api.must<ReceiptJson>('POST', '/payment/receipt/mail', {
        token: shop.secretKey,
        body: { paymentId: id },
      });
      states.push(mail?.state);
    }
    expect(states).toEqual([...Array<string>(20).fill('pending'), 'failed', 'failed']);
    await eventually('all came', receipts, (mails) => mails.length >= 20);
    await afterAnother();
    expect(receipts()).toHaveLength(20);
  });
});

it('a receipt by email is sent once when the daemon is killed between the request and the email', async () => {
  const own = await SmtpSink.start();
  await using till = await TillProcess.start({ TILLD_SMTP_URL: own.url });
  const { shop, email } = await openShop(own, till);
  const { id } = await shop.createPayment({ customerId: undefined, customer: { email } });
  await till.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: id, scenario: 'exact', coin: 'BTC', confirmations: 9 },
  });
  const ask = async (): Promise<number> => {
    const path = `/checkout/${id}/receipt/mail`;
    return (await fetch(till.api.baseUrl + path, { method: 'POST', redirect: 'manual' })).status;
  };
  own.behaviour = { mute: true };
  expect(await Promise.all(Array.from({ length: 5 }, ask))).toEqual(Array<number>(5).fill(303));
  await eventually(
    'the mail is being sent',
    () => own.connections,
    (connections) => connections > 0,
  );
  await till.kill9();
  own.behaviour = {};
  await till.up();
  expect(await ask()).toBe(303);
  const receipts = () => own.mails.filter(({ raw }) => raw.includes(`Message-ID: <receipt_${id}@`));
  await eventually('it came', receipts, (mails) => mails.length > 0);
  await eventually(
    'it is settled',
    async () =>
      till.api.must<ReceiptJson>('GET', `/payment/receipt?paymentId=${id}`, { token: shop.secretKey }),
    ({ mail }) => mail?.state === 'sent',
  );
  expect(receipts()).toHaveLength(1);
  await own.stop();
});

it('a receipt by email is not sent again when the records of old emails are deleted', async () => {
  const email = newPayer();
  const { id } = await paid({ customer: { email } });
  await press(id);
  await arrived(email);
  await eventually(
    'it is settled',
    () => ofShop(id),
    ({ mail }) => mail?.state === 'sent',
  );
  await world.till.down();
  world.till.clock.advance(40 * 86_400_000);
  await world.till.up();
  await world.until('BTC', 'ready');
  await press(id);
  expect(await ofShop(id)).toMatchObject({ mail: { state: 'sent' } });
  await afterAnother();
  expect(to(email)).toHaveLength(1);
});

/** The subject with its encoded words read (RFC 2047). */
function decodedSubject(mail: ReceivedMail): string {
  const joined = subjectOf(mail).replace(/\?= =\?/g, '?==?');
  return joined.replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(text, 'base64').toString('utf8')
      : Buffer.from(
          text
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        ).toString('utf8'),
  );
}
