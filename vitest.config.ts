import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Files share a process: starting one and importing the program again for each took longer than most tests. What a test
 * changes globally, it must restore.
 */
const SHARED = { isolate: false };
/**
 * They replace modules of the program, which other files of the same process would get as well, or count what is done in
 * their process.
 */
const ALONE = [
  'test/integration/http/checkout-viewers.test.ts',
  'test/integration/new-utxo-coin.test.ts',
  'test/integration/ops/fence.test.ts',
];
const UNIT = ['test/unit/**', 'test/vectors/**'];

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: ['test/_helpers/timing/measure-file.ts'],
    expect: { poll: { timeout: 60_000 } },
    // More than cores: half the time a test waits for a node, a browser or a clock.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT.map((folder) => `${folder}/*.test.ts`),
          ...SHARED,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          ...SHARED,
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...UNIT, ...ALONE, 'test/compose/**', 'test/shops/**'],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
