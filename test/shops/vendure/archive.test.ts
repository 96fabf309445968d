import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { installAsReadmeSays } from '../_helpers/install.ts';
import { Owner } from '../_helpers/owner.ts';
import { VendureShop } from './driver.ts';

/** What the README leaves out of the configuration. */
const REST = `apiOptions: { hostname: '127.0.0.1', port: Number(process.env.PORT), adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    tokenMethod: ['bearer'],
    cookieOptions: { secret: 'of a test' },
    superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
    requireVerification: false,
  },
  dbConnectionOptions: { type: 'sqljs', location: process.env.DATABASE, autoSave: true, synchronize: true },
  paymentOptions: { paymentMethodHandlers: [] },`;
/** Where tilld and this shop are: the README names those of an example. */
const ADDRESSES = {
  "'https://pay.shop.example'": 'process.env.TILLD_URL',
  "'https://api.shop.example'": 'process.env.SERVER_URL',
};
const SERVER = `import { bootstrap } from '@vendure/core';
import { config } from './vendure-config.ts';
import { fill } from './fill.mjs';
const app = await bootstrap(config);
await fill(app);
console.log('the shop is ready');
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));`;

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
let directory: string;

beforeAll(async () => {
  ({ directory } = stack.use(await installAsReadmeSays('vendure')));
});

/** The configuration of the README, with the addresses of the test. */
function config(readme: string): string {
  const [, example = ''] = /```ts\n\/\/ vendure-config\.ts\n(.*?)```/s.exec(readme) ?? [];
  let text = example;
  for (const [named, used] of Object.entries({ ...ADDRESSES, '  // ...\n': `  ${REST}\n` })) {
    expect(text).toContain(named);
    text = text.replaceAll(named, used);
  }
  return text;
}

it('the Vendure package contains the SDK and nothing else of this repository', () => {
  const plugin = join(directory, 'node_modules/@tilld/vendure-plugin');
  expect(existsSync(join(plugin, 'node_modules/@tilld/sdk/dist/index.cjs'))).toBe(true);
  expect(existsSync(join(plugin, 'src'))).toBe(false);
});

it('the Vendure package accepts a payment in a new shop that is installed and configured as the README says', async () => {
  const owner = stack.use(await Owner.start());
  const readme = readFileSync(join(directory, 'node_modules/@tilld/vendure-plugin/README.md'), 'utf8');
  writeFileSync(join(directory, 'vendure-config.ts'), config(readme));
  writeFileSync(join(directory, 'server.mjs'), SERVER);
  copyFileSync(join(import.meta.dirname, 'shop/fill.mjs'), join(directory, 'fill.mjs'));
  const port = await freePort();
  const setup = { tilldUrl: owner.till.api.baseUrl, publicUrl: `http://127.0.0.1:${port}`, port };
  const shop = stack.use(await VendureShop.start(setup, { server: join(directory, 'server.mjs') }));
  await shop.connect((address) => owner.agree(address));
  const { orderId, paymentId } = await shop.order();
  await owner.payFinally(paymentId);
  await eventually(
    'the order is paid',
    () => shop.orderState(orderId),
    (state) => state === 'PaymentSettled',
    60_000,
  );
  expect(await shop.health()).toEqual({ key: true, webhook: true, node: true });
});
