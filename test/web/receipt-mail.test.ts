/** The button that mails a receipt: on the payer's page and in the dashboard. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { addressScript } from '../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../src/domain/coins.ts';
import { toAtoms } from '../_helpers/nodes/index.ts';
import { eventually } from '../_helpers/poll.ts';
import { partsOf, SmtpSink } from '../_helpers/smtp-sink.ts';
import { TillBesideNodes } from '../_helpers/daemon-with-nodes.ts';
import { axeFindings, DESKTOP, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';
import { signInBrowser } from '../_helpers/web/dashboard.ts';

const PASSWORD = 'correct horse battery';
const BUTTONS = {
  en: 'Email me the receipt',
  de: 'Beleg per E-Mail senden',
  es: 'Enviarme el recibo por correo',
  fr: 'Recevoir le reçu par e-mail',
  pt: 'Enviar-me o recibo por e-mail',
} as const;

let sink: SmtpSink;
let world: TillBesideNodes;
let browser: WebBrowser;
let count = 0;

beforeAll(async () => {
  await ensureWebBuilt();
  sink = await SmtpSink.start();
  world = await TillBesideNodes.start({ TILLD_SMTP_URL: sink.url });
  await world.switchTo('live');
  browser = await WebBrowser.start(world.till.api.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await world?.[Symbol.asyncDispose]();
  await sink?.stop();
});
afterEach(() => expect(browser.takeComplaints()).toEqual([]));

/** A live payment that Bitcoin completed, and the address of its customer. */
async function paid(): Promise<{ id: string; email: string }> {
  const email = `payer-${(count += 1)}@example.org`;
  const { id, options } = await world.shop.createPayment({
    customerId: undefined,
    customer: { email },
    allowedCryptos: ['BTC'],
  });
  const { address, amount } = options.BTC;
  world.node.pay(addressScript(UTXO_COINS.BTC, 'regtest', address), toAtoms(amount));
  world.node.mine(2);
  await eventually(
    'paid',
    async () => world.shop.payment(id),
    ({ status }) => status === 'completed',
  );
  return { id, email };
}

const mailTo = async (email: string) =>
  eventually(
    `a mail to ${email}`,
    () => sink.mails.filter((mail) => mail.to[0] === email),
    (mails) => mails.length > 0,
  );

it.each([
  ['without JavaScript', false],
  ['with JavaScript', true],
])('the receipt button sends the receipt once, %s', async (_how, javaScriptEnabled) => {
  const { id, email } = await paid();
  const page = await browser.page({ viewport: PHONE, javaScriptEnabled });
  await page.goto(`/checkout/${id}?lang=en`);
  await page.getByRole('link', { name: 'Receipt' }).click();
  const button = page.getByRole('button', { name: BUTTONS.en });
  await button.waitFor();
  await page.getByText('To p…@example.org').waitFor();
  if (javaScriptEnabled) expect(await axeFindings(page)).toEqual([]);
  // Another tab that was opened before still has the button.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await button.click();
  await page.getByText(/(is on its way|has been emailed) to p…@example\.org\./).waitFor();
  expect(await button.count()).toBe(0);
  await other.getByRole('button', { name: BUTTONS.en }).click();
  await other.getByText(/(is on its way|has been emailed) to p…@example\.org\./).waitFor();
  const [mail, ...more] = await mailTo(email);
  expect(more).toEqual([]);
  expect(partsOf(mail!.raw).text).toContain(`/checkout/${id}/receipt?lang=en`);
  await page.context().close();
});

it('the receipt button is available in each language, and is not printed', async () => {
  const { id } = await paid();
  const page = await browser.page({ viewport: DESKTOP });
  for (const [lang, name] of Object.entries(BUTTONS)) {
    await page.goto(`/checkout/${id}/receipt?lang=${lang}`);
    await page.getByRole('button', { name, exact: true }).waitFor();
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
  }
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByText('p…@example.org').filter({ visible: true }).count()).toBe(0);
  await page.context().close();
});

it('the payment page in the dashboard sends a receipt, and its timeline shows who did', async () => {
  const { id, email } = await paid();
  const { api } = world.till;
  const { user } = await api.must<{ user: { email: string } }>('GET', '/auth/me', {
    token: world.shop.token,
  });
  const page = await browser.page({ viewport: DESKTOP });
  await signInBrowser(page.context(), api.baseUrl, { email: user.email, password: PASSWORD });
  await page.goto(`/dashboard/shop/${world.shop.merchantId}/payments/${id}`);
  await page.getByRole('button', { name: 'Email the receipt' }).waitFor();
  await page.getByText('Once, to p…@example.org.').waitFor();
  expect(await page.getByRole('link', { name: 'Open the receipt' }).getAttribute('href')).toContain(
    `/checkout/${id}/receipt`,
  );
  await page.getByRole('button', { name: 'Email the receipt' }).click();
  await page.getByText('Mailed to p…@example.org.').waitFor();
  expect(await page.getByRole('button', { name: 'Email the receipt' }).count()).toBe(0);
  expect(await mailTo(email)).toHaveLength(1);
  await page.goto(`/dashboard/shop/${world.shop.merchantId}/audit`);
  await page.getByText('Emailed a receipt').filter({ visible: true }).first().waitFor();
  expect(await page.content()).toContain(id);
  await page.context().close();
});
