import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whether this is the run before a release: `scripts/campaigns`. */
export const isBeforeRelease = process.env['TILLD_CAMPAIGNS'] === '1';

/** Tests of many minutes, which run before a release only. */
export const CAMPAIGNS: readonly string[] = [
  'test/integration/ops/update-archives.test.ts',
  'test/integration/ops/rollback-killed.test.ts',
  'test/integration/forwards/forward-thousand.test.ts',
  'test/integration/subscriptions/kill9.test.ts',
  'test/integration/wallet/sends-kill9.test.ts',
  'test/integration/watch/psbt-kill9.test.ts',
  'test/integration/subscriptions/calendar.test.ts',
  'test/integration/ops/second-machine.test.ts',
  'test/integration/ops/takeover-marker.test.ts',
  'test/integration/ops/restore-accounts.test.ts',
  'test/integration/payments/kill9.test.ts',
  'test/integration/payments/ethereum-unreliable-node.test.ts',
  'test/integration/solana/restored-sends.test.ts',
  'test/integration/store/upgrade-drill.test.ts',
];

/** Files that run always, and on more kinds of machines before a release. */
export const ON_MORE_MACHINES: readonly string[] = [
  'test/integration/ops/first-start.test.ts',
  'test/integration/ops/release.test.ts',
];

/** Files that take minutes. Begun last, each would run on alone after all others. */
export const LONGEST: readonly string[] = [
  ...CAMPAIGNS,
  ...ON_MORE_MACHINES,
  'test/integration/ops/update.test.ts',
  'test/web/every-page.test.ts',
  'test/web/languages.test.ts',
  'test/integration/store/upgrade.test.ts',
  'test/integration/wallet/send-nodes.test.ts',
  'test/integration/wallet/preparing-nodes.test.ts',
  'test/integration/solana/queued-sends.test.ts',
];

function isLongest({ moduleId }: TestSpecification): boolean {
  return LONGEST.some((name) => moduleId.endsWith(`/${name}`));
}

/** Runs the longest files first, the others in their usual order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}
