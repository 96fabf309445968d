import type { Page } from 'playwright-core';

/** Whether the shop is a real WooCommerce: its checkout asks for an address, and shows no choice of one method. */
export const IS_REAL = process.env['TILLD_TEST_WOOCOMMERCE'] !== undefined;

export type Checkout = 'blocks' | 'classic';

const ADDRESS: Readonly<Record<Checkout, Readonly<Record<string, string>>>> = {
  blocks: {
    'First name': 'Ada',
    'Last name': 'Lovelace',
    Address: 'Main street 1',
    'Postal code': '10115',
    City: 'Berlin',
  },
  classic: {
    'First name': 'Ada',
    'Last name': 'Lovelace',
    'Street address': 'Main street 1',
    'Postcode / ZIP': '10115',
    'Town / City': 'Berlin',
    Phone: '030 1234567',
  },
};

/** Fills in what a checkout asks for besides the payment method; the page is ready for "Place order" then. */
export async function fillInAddress(page: Page, checkout: Checkout): Promise<void> {
  await page.getByLabel('Email address').fill('ada@example.com');
  if (!IS_REAL) return;
  for (const [label, text] of Object.entries(ADDRESS[checkout]))
    await page
      .getByLabel(label, { exact: checkout === 'blocks' })
      .first()
      .fill(text);
  // Leaving a field, blocks send the address and take no click meanwhile. One that a click leaves would lose that click,
  // whatever the payment method: the button is switched off between its press and its release.
  if (checkout === 'blocks') await page.getByLabel('City').blur();
}

/** Chooses a payment method. A real WooCommerce hides the choice where there is one method. */
export async function choose(page: Page, title: string, description: string): Promise<void> {
  const choice = page.getByRole('radio', { name: title });
  await page.getByText(title).first().waitFor();
  if (!IS_REAL || (await choice.isVisible())) await choice.check();
  await page.getByText(description).first().waitFor();
}
