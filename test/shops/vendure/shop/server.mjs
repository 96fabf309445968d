// A Vendure server with the plugin of tilld, on SQLite in memory that is written to one file. The first start fills it.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { bootstrap, DefaultLogger, dummyPaymentHandler, LogLevel } from '@vendure/core';
import tilld from '@tilld/vendure-plugin';
import { fill } from './fill.mjs';

const {
  PORT,
  DATABASE,
  TILLD_URL,
  SERVER_URL,
  STOREFRONT_URL,
  TILLD_ENCRYPTION_KEY,
  PLACE_WHEN_SEEN,
  LANGUAGE_OF_NOTES,
} = process.env;
const isNew = !existsSync(DATABASE);

/** Replaces the file as a whole: two of TypeORM's own writes at once, or an end in one of them, leave a broken one. */
function store(data) {
  writeFileSync(`${DATABASE}.new`, data);
  renameSync(`${DATABASE}.new`, DATABASE);
}

/** @type {import('@vendure/core').VendureConfig} */
const config = {
  apiOptions: {
    hostname: '127.0.0.1',
    port: Number(PORT),
    adminApiPath: 'admin-api',
    shopApiPath: 'shop-api',
  },
  authOptions: {
    tokenMethod: ['bearer', 'cookie'],
    superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
    cookieOptions: { secret: 'only for tests' },
    requireVerification: false,
  },
  dbConnectionOptions: {
    type: 'sqljs',
    location: DATABASE,
    autoSave: true,
    autoSaveCallback: store,
    synchronize: isNew,
    logging: false,
  },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  logger: new DefaultLogger({ level: LogLevel.Info, timestamp: false }),
  importExportOptions: {},
  plugins: [
    tilld.TilldPlugin.init({
      tilldUrl: TILLD_URL,
      serverUrl: SERVER_URL,
      successUrl: `${STOREFRONT_URL}/thanks/{orderId}?status={status}`,
      returnUrl: `${STOREFRONT_URL}/checkout`,
      encryptionKey: TILLD_ENCRYPTION_KEY,
      placeOrderWhenSeen: PLACE_WHEN_SEEN === 'true',
      language: LANGUAGE_OF_NOTES,
      allowSandbox: true,
    }),
  ],
};

const app = await bootstrap(config);
if (isNew) await fill(app);
console.log('the shop is ready');
process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
