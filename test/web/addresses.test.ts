import { afterAll, beforeAll, expect, it } from 'vitest';
import { Till } from '../_helpers/till.ts';
import { WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';

let till: Till;
let browser: WebBrowser;
beforeAll(async () => {
  await ensureWebBuilt();
  till = await Till.start();
  browser = await WebBrowser.start(till.api.baseUrl);
});
afterAll(async () => {
  await browser?.stop();
  await till?.end();
});

it('every link in the dashboard leads to a path that the server serves', async () => {
  const page = await browser.page();
  await page.goto('/');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Email').fill('owner@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL((url) => !/register|login/.test(url.pathname));
  const seen = [new URL(page.url()).pathname];
  for (const name of ['Account', 'Nodes']) {
    await page.getByRole('link', { name, exact: true }).first().click();
    await page.waitForURL(`**/dashboard/${name.toLowerCase()}`);
    seen.push(new URL(page.url()).pathname);
  }
  const links = await page
    .locator('a[href^="/"]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  seen.push(...links.flatMap((href) => (href === null ? [] : [href])));
  expect(seen.length).toBeGreaterThan(4);
  for (const address of new Set(seen)) {
    const { status } = await fetch(till.api.baseUrl + address);
    expect([address, status]).toEqual([address, 200]);
  }
});
