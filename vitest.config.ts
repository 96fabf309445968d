import { configDefaults, defineConfig } from 'vitest/config';

const UNIT = ['test/unit/**', 'test/vectors/**'];

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: UNIT.map((folder) => `${folder}/*.test.ts`),
          // Starting a process and importing again for each file took longer than the tests.
          // Files therefore share a process: what a test changes globally, it must restore.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...UNIT, 'test/compose/**', 'test/shops/**'],
        },
      },
    ],
  },
});
