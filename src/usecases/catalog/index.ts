/** Products and prices of an owner, and the shops that sell them. */
export { createPrice } from './create-price.ts';
export { createProduct } from './create-product.ts';
export { deletePrice } from './delete-price.ts';
export { deleteProduct } from './delete-product.ts';
export { editPrice } from './edit-price.ts';
export { editProduct } from './edit-product.ts';
export { parsePrice } from './parse-price.ts';
export { findOwnPrice } from './find-own-price.ts';
export { findOwnProduct } from './find-own-product.ts';
export { listPrices } from './list-prices.ts';
export { listProducts } from './list-products.ts';
export type { CatalogDeps } from './audit-catalog-change.ts';
export { type CatalogReach, mayChangeSoldBy, recordSale } from './selling-shops.ts';
