import { configDefaults, defineConfig } from 'vitest/config';

/** The tests that drive real shops: scripts/shops-check runs them, apart from all others. */
export default defineConfig({
  test: {
    include: ['test/shops/**/*.test.ts'],
    exclude: [...configDefaults.exclude],
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 1_200_000,
    // One shop at a time: each is a server or two beside tilld.
    fileParallelism: false,
  },
});
