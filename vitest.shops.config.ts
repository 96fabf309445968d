import { configDefaults, defineConfig } from 'vitest/config';

const hasWooCommerce = process.env['TILLD_TEST_WOOCOMMERCE'] !== undefined;

/** The tests that drive real shops: scripts/shops-check runs them, apart from all others. */
export default defineConfig({
  test: {
    include: ['test/shops/**/*.test.ts'],
    // The stand-in for WooCommerce has no administration that a browser could open.
    exclude: [...configDefaults.exclude, ...(hasWooCommerce ? [] : ['test/shops/woocommerce/real/**'])],
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 1_200_000,
    // One shop at a time: each runs one or two servers next to tilld.
    fileParallelism: false,
  },
});
