import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { installAsReadmeSays } from '../_helpers/install.ts';
import { Owner } from '../_helpers/owner.ts';
import { MedusaShop } from './driver.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let directory: string;

beforeAll(async () => {
  ({ directory } = stack.use(await installAsReadmeSays('medusa')));
});

it('the Medusa package contains the SDK and nothing else of this repository', () => {
  const plugin = join(directory, 'node_modules/@tilld/medusa-payment');
  expect(existsSync(join(plugin, 'node_modules/@tilld/sdk/dist/index.cjs'))).toBe(true);
  expect(existsSync(join(plugin, 'src'))).toBe(false);
});

it('the Medusa package accepts a payment in a new shop that is installed and configured as the README says', async () => {
  const owner = stack.use(await Owner.start());
  const readme = readFileSync(join(directory, 'node_modules/@tilld/medusa-payment/README.md'), 'utf8');
  const [, example = ''] = /```js\n(const \{ defineConfig.*?)```/s.exec(readme) ?? [];
  writeFileSync(join(directory, 'medusa-config.js'), example);
  // The routes that fill the shop.
  cpSync(join(import.meta.dirname, 'shop/src'), join(directory, 'src'), { recursive: true });
  const port = await freePort();
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: `http://127.0.0.1:${port}`, port };
  const shop = stack.use(await MedusaShop.open(setup, { fresh: directory }));
  await shop.connect((address) => owner.agree(address));
  const { orderId, paymentId } = await shop.order({ email: 'payer@example.com' });
  await owner.payFinally(paymentId);
  await eventually(
    'the order is paid',
    () => shop.state(orderId),
    (state) => state === 'paid',
    60_000,
  );
  expect(await shop.health()).toEqual({ key: true, webhook: true, node: true });
});
