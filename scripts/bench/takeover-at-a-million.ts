import { closeSync, copyFileSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from './harness/alternate.ts';
import { startDaemon } from './harness/daemon.ts';
import { manyPayments } from './harness/many-payments.ts';
import { runCommand, startReplicating } from './harness/replica.ts';
import type { Bench, Question } from './harness/question.ts';

/** How long a shop with a long history is closed when its machine dies. */
export const question: Question = {
  asks: 'from the death of the first machine to /readyz of the second one, 1 M payments: restore, promote, start',
  against: 'a copy of the database file, flushed',
  run: async (bench) => {
    const { dataDir, payments } = await manyPayments(bench, bench.quick ? 10_000 : 1_000_000);
    const [replica, work] = [bench.newDir(), bench.newDir()];
    const env = { TILLD_REPLICA_URL: replica };
    const passphrase = ['--passphrase-file', join(dataDir, 'keyring-passphrase')] as const;
    const backup = join(work, 'keyring.backup');
    const first = await startDaemon(bench, { dataDir, env });
    const replicated = await timed(bench, 'replicated', async () => startReplicating(bench, first, env));
    await timed(bench, 'backed up', async () =>
      runCommand(bench, ['backup', backup, '--data-dir', dataDir], env),
    );
    first.kill();
    replicated.done.kill();
    const to = join(work, 'second');
    const lookAhead = ['--look-ahead', process.env['BENCH_LOOK_AHEAD'] ?? '1000'] as const;
    const toDir = ['--data-dir', to] as const;
    const steps = [
      await timed(bench, 'restored', async () =>
        runCommand(
          bench,
          ['restore', backup, '--from-replica', replica, ...toDir, ...passphrase, ...lookAhead],
          env,
        ),
      ),
      await timed(bench, 'promoted', async () =>
        runCommand(bench, ['promote', '--other-machine-off', ...toDir], env),
      ),
      await timed(bench, 'started', async () => startDaemon(bench, { dataDir: to, env })),
    ];
    const copied = await timed(bench, 'copied', async () => copy(dataDir, work));
    const ours = [steps.reduce((sum, { seconds }) => sum + seconds, 0)];
    const rounds = { ours, baseline: [copied.seconds] };
    return {
      comparisons: [
        compare(rounds, { what: 'serving', unit: 's', figure: (seconds) => seconds, target: null }),
      ],
      notes: [
        `${payments} payments`,
        `restore, promote, start: ${steps.map(({ seconds }) => `${seconds.toFixed(1)} s`).join(', ')}`,
      ],
    };
  },
};

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
