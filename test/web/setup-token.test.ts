import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Till } from '../_helpers/till.ts';
import { axeFindings, PHONE, WebBrowser } from '../_helpers/web/browser.ts';
import { ensureWebBuilt } from '../_helpers/web/build.ts';

let till: Till;
let browser: WebBrowser;
beforeAll(async () => {
  await ensureWebBuilt();
});
beforeEach(async () => {
  till = await Till.start({ TILLD_REGISTRATION: 'first-user' });
  browser = await WebBrowser.start(till.api.baseUrl);
});
afterEach(async () => {
  await browser.stop();
  await till.end();
});

async function register(address: string) {
  const page = await browser.page({ viewport: PHONE });
  await page.goto(address);
  await page.getByLabel('Email').fill('owner@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  return page;
}

it('the register page creates the first account from the link in the log without asking for the setup token', async () => {
  const page = await register(`/dashboard/register#setup=${till.setupToken}`);
  await page.waitForURL((url) => !url.pathname.endsWith('/register'));
  expect(await page.getByLabel('Setup token').count()).toBe(0);
});

it('the register page asks for the setup token when the URL does not contain it', async () => {
  const page = await register('/dashboard/register');
  const field = page.getByLabel('Setup token');
  await field.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await field.fill('a guess');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('differs from the one in the log of the server since its last start').waitFor();
  await field.fill(till.setupToken ?? '');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/register'));
});
