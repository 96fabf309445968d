import { LanguageCode } from '@vendure/core';
import { populateInitialData } from '@vendure/core/cli/index.js';

/** What a shop needs before it can sell: a country, a tax, a way to ship, and the payment method of the plugin. */
export async function fill(app) {
  await populateInitialData(app, {
    defaultLanguage: LanguageCode.en,
    defaultZone: 'Europe',
    countries: [{ code: 'DE', name: 'Germany', zone: 'Europe' }],
    taxRates: [{ name: 'Standard', percentage: 0 }],
    shippingMethods: [{ name: 'Parcel', price: 500 }],
    paymentMethods: [{ name: 'Coins', handler: { code: 'tilld', arguments: [] } }],
    collections: [],
  });
}
