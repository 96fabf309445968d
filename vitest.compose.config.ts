import { defineConfig } from 'vitest/config';

/** The tests that need a Docker engine: scripts/compose-check runs them, apart from all others. */
export default defineConfig({
  test: {
    include: ['test/compose/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 900_000,
    // One network of containers at a time.
    fileParallelism: false,
    bail: 1,
  },
});
