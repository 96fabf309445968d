import { configDefaults, defineConfig } from 'vitest/config';
import {
  CAMPAIGNS,
  isBeforeRelease,
  LongestFirst,
  ON_MORE_MACHINES,
} from './test/_helpers/timing/longest-first.ts';

/**
 * Files share a process: starting one and importing the program again for each took longer than most tests. What a test
 * changes globally, it must restore.
 */
const SHARED = { isolate: false };
/** They replace modules of the program, or record its queries, which other files of the same process would share. */
const ALONE = [
  'test/integration/new-utxo-coin.test.ts',
  'test/integration/store/query-plans.test.ts',
  'test/integration/wallet/query-plans.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: ['test/_helpers/timing/measure-file.ts'],
    expect: { poll: { timeout: 60_000 } },
    // More than cores: half the time a test waits for a node, a browser or a clock.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          ...SHARED,
          include: isBeforeRelease ? [...CAMPAIGNS, ...ON_MORE_MACHINES] : ['test/**/*.test.ts'],
          exclude: [
            ...configDefaults.exclude,
            ...ALONE,
            'test/compose/**',
            'test/shops/**',
            ...(isBeforeRelease ? [] : CAMPAIGNS),
          ],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
