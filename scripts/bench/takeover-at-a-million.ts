import { closeSync, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compare } from './harness/alternate.ts';
import { startNode, type Child } from './harness/child.ts';
import { startDaemon } from './harness/daemon.ts';
import { manyPayments } from './harness/many-payments.ts';
import { runCommand, startReplicating } from './harness/replica.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';

/** How long a shop with a long history is closed when its machine dies. */
export const question: Question = {
  asks: 'from the death of the first machine to /readyz of the second one, 1 M payments: restore, promote, start',
  against: 'a copy of the database file, flushed',
  run: async (bench) => {
    const { dataDir, payments, merchants } = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const [replica, work] = [bench.newDir(), bench.newDir()];
    const env = { TILLD_REPLICA_URL: replica };
    const passphraseFile = join(dataDir, 'keyring-passphrase');
    const backup = join(work, 'keyring.backup');
    const first = await startDaemon(bench, { dataDir, env });
    const replicated = await timed(bench, 'replicated', async () => startReplicating(bench, first, env));
    await timed(bench, 'backed up', async () =>
      runCommand(bench, ['backup', backup, '--data-dir', dataDir], env),
    );
    const machine = { backup, passphraseFile, env };
    const withStandby = join(work, 'with-standby');
    const standby = await timed(bench, 'the standby follows', async () => follow(bench, withStandby, env));
    const { secretKey: token = '' } = merchants[0] ?? {};
    for (let number = 0; number < CREATES; number += 1)
      await first.api.must('POST', '/payment/create', { token, body: orderOf(number) });
    // What acknowledges within half a second of a death may be lost.
    await pause(1_000);
    first.kill();
    replicated.done.kill();
    standby.done.kill();
    const warm = await takeOver(bench, { ...machine, to: withStandby });
    const cold = await takeOver(bench, { ...machine, to: join(work, 'without-standby') });
    const copied = await timed(bench, 'copied', async () => copy(dataDir, work));
    const figure = (what: string, { total }: Takeover): Comparison =>
      compare(
        { ours: [total], baseline: [copied.seconds] },
        { what, unit: 's', figure: (seconds) => seconds, target: null },
      );
    return {
      comparisons: [figure('serving, with scripts/standby', warm), figure('serving', cold)],
      notes: [
        `${payments} payments`,
        `with scripts/standby: restore, promote, start ${warm.steps}`,
        `without: ${cold.steps}`,
      ],
    };
  },
};

const CREATES = 200;
const FOLLOWED_LIMIT_MS = 900_000;

function orderOf(number: number): object {
  const customer = { email: 'late@example.com' };
  return { amount: '10.00', currency: 'USD', orderId: `late-${number}`, customer };
}

async function follow(bench: Bench, dataDir: string, env: Readonly<Record<string, string>>): Promise<Child> {
  const child = startNode(bench, ['dist/tools/standby.js', '--data-dir', dataDir], {
    TILLD_CONFIG: 'config/sandbox.yaml',
    ...env,
  });
  const until = performance.now() + FOLLOWED_LIMIT_MS;
  while (!child.output().includes('follows generation')) {
    if (child.process.exitCode !== null || performance.now() > until)
      throw new Error(`nothing is followed: ${child.output()}`);
    await pause(100);
  }
  return child;
}

interface Takeover {
  readonly total: number;
  readonly steps: string;
}

interface SecondMachine {
  readonly backup: string;
  readonly passphraseFile: string;
  readonly to: string;
  readonly env: Readonly<Record<string, string>>;
}

async function takeOver(bench: Bench, { backup, passphraseFile, to, env }: SecondMachine): Promise<Takeover> {
  const lookAhead = ['--look-ahead', process.env['BENCH_LOOK_AHEAD'] ?? '1000'] as const;
  const toDir = ['--data-dir', to] as const;
  const from = ['--from-replica', env['TILLD_REPLICA_URL'] ?? ''] as const;
  const steps = [
    await timed(bench, 'restored', async () =>
      runCommand(
        bench,
        [
          'restore',
          backup,
          '--nothing-revoked',
          ...from,
          ...toDir,
          '--passphrase-file',
          passphraseFile,
          ...lookAhead,
        ],
        env,
      ),
    ),
    await timed(bench, 'promoted', async () =>
      runCommand(bench, ['promote', '--other-machine-off', ...toDir], env),
    ),
    await timed(bench, 'started', async () => {
      const second = await startDaemon(bench, { dataDir: to, env });
      second.kill();
    }),
  ];
  return {
    total: steps.reduce((sum, { seconds }) => sum + seconds, 0),
    steps: steps.map(({ seconds }) => `${seconds.toFixed(1)} s`).join(', '),
  };
}

async function timed<T>(
  bench: Bench,
  what: string,
  work: () => Promise<T>,
): Promise<{ done: T; seconds: number }> {
  const began = performance.now();
  const done = await work();
  const seconds = (performance.now() - began) / 1000;
  bench.progress(`${what} in ${seconds.toFixed(1)} s`);
  return { done, seconds };
}

async function copy(from: string, to: string): Promise<void> {
  const target = join(to, 'copy.sqlite');
  copyFileSync(join(from, 'tilld.sqlite'), target);
  const file = openSync(target, 'r+');
  fsyncSync(file);
  closeSync(file);
}
