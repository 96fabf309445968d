import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { SessionClient } from '../session-client.ts';

/** Gives the proof that the dashboard asks for before money moves. */
export async function confirmIt(page: Page, proof: { password: string } | { code: string }): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  const [label, value] = 'code' in proof ? ['Code', proof.code] : ['Your password', proof.password];
  await dialog.getByLabel(label).fill(value);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/**
 * Puts the cookie of a fresh session of a user into a browser, in place of what it had.
 * @param user.steppedUp whether the session has proved again who is there
 */
export async function signInBrowser(
  context: BrowserContext,
  baseUrl: string,
  user: { email: string; password: string; steppedUp?: boolean },
): Promise<void> {
  const { email, password, steppedUp = false } = user;
  const session = await SessionClient.signIn(baseUrl, { email, password });
  if (steppedUp) await session.call('POST', '/auth/step-up', { password });
  const { cookie } = session;
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Strict' }]);
}

/** The menu of the dashboard; on a phone, it is opened by its button. */
export async function openMenu(page: Page): Promise<Locator> {
  const menu = page.getByRole('navigation', { name: 'Main' });
  const button = page.getByRole('button', { name: /^Menu/ });
  await button.or(menu).first().waitFor();
  const isClosed = (await button.count()) === 1 && (await button.getAttribute('aria-expanded')) === 'false';
  if (isClosed) await button.click();
  await menu.waitFor();
  return menu;
}

/** Runs in the page: the router, which its library leaves there, has shown where it was sent. */
const IS_SHOWN = `(() => {
  const { status, location, resolvedLocation } = self.__TSR_ROUTER__.state;
  return status === 'idle' && resolvedLocation?.href === location.href;
})()`;

/**
 * Goes to a page of the dashboard, from another one as its links do: that takes a quarter of the work of a load.
 * Resolves when the page has a heading and shows what it reads.
 */
export async function visit(page: Page, address: string): Promise<void> {
  if (page.url().includes('/dashboard')) {
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
    await expect.poll(() => page.evaluate(IS_SHOWN)).toBe(true);
  } else {
    await page.goto(address);
  }
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('.animate-pulse').count()).toBe(0);
}
