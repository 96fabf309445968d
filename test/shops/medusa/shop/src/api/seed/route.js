const { Modules } = require('@medusajs/framework/utils');
const flows = require('@medusajs/medusa/core-flows');

const key = (title, type) => ({ title, type, created_by: '' });

/** One article that can be ordered, and the keys of a storefront and of the shopkeeper. */
exports.POST = async (req, res) => {
  const run = async (name, input) => (await flows[name](req.scope).run({ input })).result;
  const link = req.scope.resolve('link');
  const [channel] = await run('createSalesChannelsWorkflow', { salesChannelsData: [{ name: 'Web' }] });
  const [region] = await run('createRegionsWorkflow', {
    regions: [
      {
        name: 'Europe',
        currency_code: 'usd',
        countries: ['de'],
        payment_providers: ['pp_system_default', 'pp_tilld_tilld'],
      },
    ],
  });
  await run('createTaxRegionsWorkflow', [{ country_code: 'de', provider_id: 'tp_system' }]);
  const [location] = await run('createStockLocationsWorkflow', { locations: [{ name: 'Store room' }] });
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_provider_id: 'manual_manual' },
  });
  const [profile] = await run('createShippingProfilesWorkflow', {
    data: [{ name: 'Parcel', type: 'default' }],
  });
  const set = await req.scope.resolve(Modules.FULFILLMENT).createFulfillmentSets({
    name: 'Post',
    type: 'shipping',
    service_zones: [{ name: 'Germany', geo_zones: [{ country_code: 'de', type: 'country' }] }],
  });
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: location.id },
    [Modules.FULFILLMENT]: { fulfillment_set_id: set.id },
  });
  const [shipping] = await run('createShippingOptionsWorkflow', [
    {
      name: 'Parcel',
      price_type: 'flat',
      provider_id: 'manual_manual',
      service_zone_id: set.service_zones[0].id,
      shipping_profile_id: profile.id,
      type: { label: 'Parcel', description: 'By post', code: 'parcel' },
      prices: [{ currency_code: 'usd', amount: 5 }],
      rules: [{ attribute: 'enabled_in_store', value: 'true', operator: 'eq' }],
    },
  ]);
  await run('linkSalesChannelsToStockLocationWorkflow', { id: location.id, add: [channel.id] });
  const [product] = await run('createProductsWorkflow', {
    products: [
      {
        title: 'Mug',
        status: 'published',
        shipping_profile_id: profile.id,
        options: [{ title: 'Size', values: ['One'] }],
        variants: [
          {
            title: 'One',
            manage_inventory: false,
            options: { Size: 'One' },
            prices: [{ currency_code: 'usd', amount: 20 }],
          },
        ],
        sales_channels: [{ id: channel.id }],
      },
    ],
  });
  const [publishable, secret] = await run('createApiKeysWorkflow', {
    api_keys: [key('Storefront', 'publishable'), key('Shopkeeper', 'secret')],
  });
  await run('linkSalesChannelsToApiKeyWorkflow', { id: publishable.id, add: [channel.id] });
  res.json({
    regionId: region.id,
    shippingId: shipping.id,
    variantId: product.variants[0].id,
    publishable: publishable.token,
    secret: secret.token,
  });
};
