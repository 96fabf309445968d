import { openShop } from './shop.ts';

/** Runs a webhook queue on the database file named by the first argument, until it is killed. */
const shop = await openShop({ path: process.argv[2] ?? '' });
await shop.queue().start();
process.stdout.write('started\n');
setInterval(() => undefined, 1_000);
