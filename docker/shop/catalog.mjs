/** Prices in cents. */
const ARTICLES = [
  { name: 'Coffee, 250 g', slug: 'coffee', price: 900 },
  { name: 'Mug', slug: 'mug', price: 1400 },
  { name: 'Poster', slug: 'poster', price: 2500 },
];

/** Creates the products of the shop. */
export async function fillCatalog(admin) {
  for (const { name, slug, price } of ARTICLES) {
    const { createProduct } = await admin.ask(
      `mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }`,
      { input: { enabled: true, translations: [{ languageCode: 'en', name, slug, description: '' }] } },
    );
    const variant = {
      productId: createProduct.id,
      sku: slug,
      price,
      stockOnHand: 1000,
      translations: [{ languageCode: 'en', name }],
    };
    await admin.ask(
      `mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }`,
      {
        input: [variant],
      },
    );
  }
}
