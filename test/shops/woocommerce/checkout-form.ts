import type { Locator, Page } from 'playwright-core';

/** Whether the shop is a real WooCommerce: its checkout asks for an address, and shows no choice of one method. */
const IS_REAL = process.env['TILLD_TEST_WOOCOMMERCE'] !== undefined;

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
  // Blocks show the address of a customer who has come back as text.
  if (checkout === 'blocks' && !(await page.getByLabel('First name').isVisible())) {
    await page.getByLabel('Email address').blur();
    return;
  }
  for (const [label, text] of Object.entries(ADDRESS[checkout]))
    await page
      .getByLabel(label, { exact: checkout === 'blocks' })
      .first()
      .fill(text);
  // Leaving a field, blocks send the address and take no click meanwhile. One that a click leaves would lose that click,
  // whatever the payment method: the button is switched off between its press and its release.
  if (checkout !== 'blocks') return;
  const sent = page.waitForResponse(
    (answer) => answer.request().postData()?.includes('"city":"Berlin"') === true,
  );
  await page.getByLabel('City').blur();
  await sent;
}

/** Chooses a payment method. A real WooCommerce hides the choice where there is one method. */
export async function choose(page: Page, title: string, description: string): Promise<void> {
  const choice = page.getByRole('radio', { name: title });
  await page.getByText(title).first().waitFor();
  if (!IS_REAL) await choice.check();
  else if ((await choice.isVisible()) && !(await choice.isChecked())) await chooseOther(page, choice);
  await page.getByText(description).first().waitFor();
}

/** Blocks tell the shop of another choice a moment later, and take no click meanwhile. */
async function chooseOther(page: Page, choice: Locator): Promise<void> {
  const isOfBlocks = (await page.locator('.wc-block-checkout').count()) > 0;
  const told = isOfBlocks ? page.waitForResponse(/checkout.*calc_totals/) : null;
  await choice.check();
  await told;
}

/** Whether parts of a page cover each other. */
export async function overlap(...parts: Locator[]): Promise<boolean> {
  const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
  return boxes.some((one, index) =>
    boxes.slice(index + 1).some((other) => {
      if (!one || !other) throw new Error('a part of the page is not shown');
      const isBeside = one.x >= other.x + other.width || other.x >= one.x + one.width;
      return !isBeside && one.y < other.y + other.height && other.y < one.y + one.height;
    }),
  );
}
