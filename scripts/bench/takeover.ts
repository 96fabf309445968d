import { closeSync, copyFileSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compare } from './harness/alternate.ts';
import { startDaemon } from './harness/daemon.ts';
import { manyPayments } from './harness/many-payments.ts';
import { runCommand, startReplicating } from './harness/replica.ts';
import type { Bench, Question } from './harness/question.ts';

const PAYMENTS = Number(process.env['BENCH_PAYMENTS'] ?? 1_000_000);
const CREATES = 200;
/** Each with another epoch in the replica, as in production. */
const ROUNDS = 3;

/** How long a shop with a long history is unavailable after its machine fails. */
export const question: Question = {
  asks: `from the failure of the first machine to /readyz of the second one, ${PAYMENTS} payments: restore, promote, start`,
  against: 'a copy of the database file, flushed',
  run: async (bench) => {
    const { dataDir, payments, merchants } = await manyPayments(bench, bench.quick ? 10_000 : PAYMENTS);
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
    const { secretKey: token = '' } = merchants[0] ?? {};
    for (let number = 0; number < CREATES; number += 1)
      await first.api.must('POST', '/payment/create', { token, body: orderOf(number) });
    // Payments acknowledged within half a second of the failure may be lost.
    await pause(1_000);
    first.kill();
    replicated.done.kill();
    const [ours, baseline, steps]: [number[], number[], string[]] = [[], [], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const to = join(work, `second-${round}`);
      const takeover = await takeOver(bench, { ...machine, to });
      ours.push(takeover.total);
      steps.push(`restore, promote, start: ${takeover.steps}`);
      rmSync(to, { recursive: true });
      baseline.push((await timed(bench, 'copied', async () => copy(dataDir, work))).seconds);
    }
    const figure = { what: 'serving', unit: 's', figure: (seconds: number) => seconds, target: null };
    return { comparisons: [compare({ ours, baseline }, figure)], notes: [`${payments} payments`, ...steps] };
  },
};

function orderOf(number: number): object {
  const customer = { email: 'late@example.com' };
  return { amount: '10.00', currency: 'USD', orderId: `late-${number}`, customer };
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
  const toDir = ['--data-dir', to] as const;
  const from = ['--nothing-revoked', '--from-replica', env['TILLD_REPLICA_URL'] ?? ''] as const;
  const lookAhead = ['--look-ahead', process.env['BENCH_LOOK_AHEAD'] ?? '1000'] as const;
  const passphrase = ['--passphrase-file', passphraseFile] as const;
  const restored = await timed(bench, 'restored', async () =>
    runCommand(bench, ['restore', backup, ...from, ...toDir, ...passphrase, ...lookAhead], env),
  );
  const promoted = await timed(bench, 'promoted', async () =>
    runCommand(bench, ['promote', '--other-machine-off', ...toDir], env),
  );
  const started = await timed(bench, 'started', async () => startDaemon(bench, { dataDir: to, env }));
  await started.done.stop();
  const steps = [restored, promoted, started].map(({ seconds }) => seconds);
  return {
    total: steps.reduce((sum, seconds) => sum + seconds, 0),
    steps: steps.map((seconds) => `${seconds.toFixed(1)} s`).join(', '),
  };
}

async function timed<T>(
  bench: Bench,
  what: string,
  work: () => Promise<T>,
): Promise<{ done: T; seconds: number }> {
  const startedMs = performance.now();
  const done = await work();
  const seconds = (performance.now() - startedMs) / 1000;
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
