import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { ensureWebBuilt } from '../../_helpers/web/build.ts';
import { DESKTOP, PHONE, SCREENS, WebBrowser } from '../../_helpers/web/browser.ts';
import { Owner } from '../_helpers/owner.ts';
import { MedusaShop } from './driver.ts';

/** The storefront of the test as a shopper walks it. */
const stack = new AsyncDisposableStack();
let owner: Owner;
let shop: MedusaShop;
let browser: WebBrowser;
let origin: string;

beforeAll(async () => {
  await ensureWebBuilt();
  owner = stack.use(await Owner.start());
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  // As its pages name themselves.
  const tilldUrl = `http://localhost:${new URL(owner.till.api.baseUrl).port}`;
  const setup = { tilldUrl, publicUrl: origin, port };
  shop = stack.use(await MedusaShop.open(setup, { storefront: origin }));
  await shop.connect((address) => owner.agree(address));
  await owner.editShop({ embedOrigins: [origin] });
  browser = await WebBrowser.start(origin, [tilldUrl]);
  stack.defer(() => browser.stop());
}, 600_000);
afterAll(() => stack.disposeAsync());

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])(
  'the Medusa storefront opens the checkout in a window over the page and then shows the order, also after the Back button: %s',
  async (name, viewport) => {
    const page = await browser.page({ viewport });
    await page.goto(shop.storefrontPath);
    await page.getByRole('button', { name: 'Buy a mug' }).click();
    await page.frameLocator('dialog iframe').getByRole('button', { name: 'Pay exactly' }).click();
    await page.waitForURL(/\/order\/order_\w+\/confirmed/);
    await page.getByText(/^Order order_\w+: seen$/).waitFor();
    await page.screenshot({ path: `${SCREENS}/medusa-storefront-${name}.png` });
    const confirmed = page.url();
    await page.goto(shop.storefrontPath);
    await page.getByRole('button', { name: 'Buy a mug' }).click();
    await page.waitForURL(confirmed);
    expect(browser.takeComplaints()).toEqual([]);
    await page.context().close();
  },
);

it('the Medusa storefront shows its own checkout again when a shopper closes the window without paying', async () => {
  const page = await browser.page({ viewport: DESKTOP });
  await page.goto(shop.storefrontPath);
  await page.getByRole('button', { name: 'Buy a mug' }).click();
  await page.frameLocator('dialog iframe').getByRole('button', { name: 'Pay exactly' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.waitForURL(`${origin}/checkout`);
  await page.context().close();
});
