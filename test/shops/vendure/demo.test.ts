import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { ensureWebBuilt } from '../../_helpers/web/build.ts';
import { axeFindings, DESKTOP, PHONE, SCREENS, WebBrowser } from '../../_helpers/web/browser.ts';
import { installShop } from '../_helpers/install.ts';

/** The shop to try (docker/shop), without Docker, as a shopper walks it: the checkout opens over its page. */
const HERE = import.meta.dirname;
const stack = new AsyncDisposableStack();
let browser: WebBrowser;
let shopUrl: string;

beforeAll(async () => {
  await ensureWebBuilt();
  await installShop('vendure', '@tilld/vendure-plugin');
  const till = stack.use(await TillProcess.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '1500ms' }));
  await till.ready();
  const tilldUrl = `http://localhost:${new URL(till.api.baseUrl).port}`;
  shopUrl = await startDemo(tilldUrl);
  browser = await WebBrowser.start(shopUrl, [tilldUrl]);
  stack.defer(() => browser.stop());
}, 600_000);
afterAll(() => stack.disposeAsync());

/** Where it finds the platform that is installed for the tests. */
async function startDemo(tilldUrl: string): Promise<string> {
  const program = mkdtempSync(join(HERE, 'node_modules/.demo-'));
  const data = mkdtempSync(join(tmpdir(), 'demo-'));
  stack.defer(() => [program, data].forEach((folder) => rmSync(folder, { recursive: true, force: true })));
  cpSync(join(HERE, '../../../docker/shop'), program, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ready = join(data, 'ready');
  const child = spawn(process.execPath, [join(program, 'server.mjs')], {
    cwd: program,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      DATA_DIR: data,
      READY_FILE: ready,
      SHOP_URL: url,
      SHOP_INTERNAL_URL: url,
      TILLD_URL: tilldUrl,
      TILLD_INTERNAL_URL: tilldUrl,
      TILLD_TEST_MODE: 'true',
      SHOP_OWNER_EMAIL: 'shopkeeper@example.com',
      SHOP_PASSWORD: 'a pass phrase of the test',
      VENDURE_DISABLE_TELEMETRY: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stack.defer(async () => {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await exited;
  });
  let output = '';
  const collect = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`the shop ended: ${output.slice(-3000)}`);
    return existsSync(ready);
  };
  await eventually('the shop is ready', isReady, Boolean, 180_000);
  return url;
}

async function goToPay(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByLabel('Mug').fill('2');
  await page.getByRole('button', { name: 'Pay with coins' }).click();
  await page.frameLocator('dialog iframe').getByRole('button', { name: 'Pay exactly' }).waitFor();
}

it.each([
  ['desktop', DESKTOP],
  ['phone', PHONE],
])(
  'the Vendure storefront opens the checkout in a window over the page, then shows the order and an empty cart: %s',
  async (name, viewport) => {
    const page = await browser.page({ viewport });
    await goToPay(page);
    await page.screenshot({ path: `${SCREENS}/demo-shop-paying-${name}.png` });
    await page.frameLocator('dialog iframe').getByRole('button', { name: 'Pay exactly' }).click();
    await page.waitForURL(/\?order=\w+/);
    await page.getByText('Paid. Thank you!').waitFor();
    const payment = page.getByRole('link', { name: 'Your payment' });
    expect(await payment.getAttribute('href')).toContain('/checkout/pay_');
    expect(await axeFindings(page)).toEqual([]);
    await page.goBack();
    await page.getByRole('button', { name: 'Pay with coins' }).click();
    await page.frameLocator('dialog iframe').getByRole('button', { name: 'Pay exactly' }).waitFor();
    expect(browser.takeComplaints()).toEqual([]);
    await page.context().close();
  },
);

it('the Vendure storefront shows the cart again when a shopper closes the window without paying, and uses the same payment later', async () => {
  const page = await browser.page({ viewport: DESKTOP });
  await goToPay(page);
  const frame = page.locator('dialog iframe');
  const first = new URL((await frame.getAttribute('src')) ?? '').pathname;
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.waitForURL(`${shopUrl}/`);
  await goToPay(page);
  expect(new URL((await frame.getAttribute('src')) ?? '').pathname).toBe(first);
  await page.context().close();
});
