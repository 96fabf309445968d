// A small Vendure shop with tilld's plugin, as a demo with play money: `docker compose --profile shop up`.
// Its first start creates the products and an account in tilld, and connects both by the connect page as an
// owner would.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrap, DefaultLogger, DefaultSchedulerPlugin, LanguageCode, LogLevel } from '@vendure/core';
import { populateInitialData } from '@vendure/core/cli/index.js';
import tilld from '@tilld/vendure-plugin';
import { connectWithTilld } from './connect.mjs';
import { fillCatalog } from './catalog.mjs';
import { VendureApi } from './vendure-api.mjs';
import { storefront } from './storefront.mjs';

const { DATA_DIR, SHOP_URL, SHOP_INTERNAL_URL, TILLD_URL, TILLD_INTERNAL_URL, TILLD_TEST_MODE } = process.env;
const PORT = Number(process.env.PORT ?? 3001);
const DATABASE = join(DATA_DIR, 'shop.sqlite');
/** For this container only, whose port is published on loopback. */
const ADMINISTRATOR = { identifier: 'superadmin', password: process.env.SHOP_PASSWORD };

/** A secret of the shop, created once and stored next to the database. */
function secretIn(file) {
  const path = join(DATA_DIR, file);
  if (!existsSync(path)) writeFileSync(path, randomBytes(32).toString('base64'), { mode: 0o600 });
  return readFileSync(path, 'utf8');
}

const isNew = !existsSync(DATABASE);
const app = await bootstrap({
  apiOptions: {
    hostname: '0.0.0.0',
    port: PORT,
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
    // Only its own pages call it.
    cors: false,
    csrfPrevention: true,
    middleware: [{ route: '/', handler: storefront(TILLD_URL) }],
  },
  authOptions: {
    tokenMethod: ['bearer', 'cookie'],
    superadminCredentials: ADMINISTRATOR,
    cookieOptions: { secret: secretIn('cookie-secret') },
    requireVerification: false,
  },
  dbConnectionOptions: {
    type: 'sqljs',
    location: DATABASE,
    autoSave: true,
    // The data is play money, so a newer plugin may change its tables.
    synchronize: true,
    logging: false,
  },
  paymentOptions: { paymentMethodHandlers: [] },
  logger: new DefaultLogger({ level: LogLevel.Info, timestamp: false }),
  plugins: [
    DefaultSchedulerPlugin.init(),
    tilld.TilldPlugin.init({
      tilldUrl: TILLD_URL,
      serverUrl: SHOP_URL,
      successUrl: `${SHOP_URL}/?order={orderId}`,
      returnUrl: `${SHOP_URL}/`,
      internal: { tilldUrl: TILLD_INTERNAL_URL, serverUrl: SHOP_INTERNAL_URL },
      encryptionKey: secretIn('encryption-key'),
      placeOrderWhenSeen: true,
      lifetimeMinutes: 15,
      allowSandbox: TILLD_TEST_MODE === 'true',
    }),
  ],
});

const admin = new VendureApi(`http://127.0.0.1:${PORT}/admin-api`);
await admin.login(ADMINISTRATOR.identifier, ADMINISTRATOR.password);
if (isNew) {
  await populateInitialData(app, {
    defaultLanguage: LanguageCode.en,
    defaultZone: 'Europe',
    countries: [{ code: 'DE', name: 'Germany', zone: 'Europe' }],
    taxRates: [{ name: 'Standard', percentage: 0 }],
    shippingMethods: [{ name: 'Parcel', price: 500 }],
    paymentMethods: [{ name: 'Coins', handler: { code: 'tilld', arguments: [] } }],
    collections: [],
  });
  await fillCatalog(admin);
}
await connectWithTilld(admin, {
  tilldUrl: TILLD_INTERNAL_URL,
  shopUrl: SHOP_URL,
  shopPort: PORT,
  owner: ownerOf(process.env),
});
writeFileSync(process.env.READY_FILE ?? '/tmp/ready', '');
process.stdout.write(`the shop is ready: ${SHOP_URL}\n`);
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));

function ownerOf({ SHOP_OWNER_EMAIL, SHOP_PASSWORD }) {
  return { email: SHOP_OWNER_EMAIL, password: SHOP_PASSWORD };
}
