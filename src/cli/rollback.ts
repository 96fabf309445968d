import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../domain/iso-time.ts';
import { ask, parseCall, printLine, runCommand, warn } from './command.ts';
import type { Journal } from './release/installation.ts';
import { withInstallation } from './release/privileged.ts';
import { runStep } from './release/release-command.ts';
import { startService, stopService, waitForService } from './release/service-control.ts';
import { replaceUnits, type Switching } from './release/switch-release.ts';

const USAGE = `Returns to the release from before the last update. Shows first what would be lost.

  tillctl rollback [--yes] [--with-open-sends] [--wait SECONDS]

If the update has changed the schema, the database from before the update is restored: payments, sends and webhooks since
then are not in it. Addresses issued since are not issued again, revocations stay, and the chains are read again. The
newer database is kept next to it. Without --yes it asks, on a terminal. --with-open-sends: even if sends made since
then are not settled, which the older release would not know.`;

const lossSchema = z.object({
  accounts: z.number(),
  shops: z.number(),
  payments: z.number(),
  paymentSums: z.array(z.string()),
  receivedSums: z.array(z.string()),
  sends: z.number(),
  sendSums: z.array(z.string()),
  openSends: z.array(z.string()),
  refundLinks: z.number(),
  events: z.number(),
});
/** Null once the database is the one from before the update. */
const made = z.object({ loss: lossSchema.nullable() });
const rewound = z.object({ newer: z.string().optional() });

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({
    args,
    options: {
      yes: { type: 'boolean', default: false },
      'with-open-sends': { type: 'boolean', default: false },
      wait: { type: 'string', default: '300' },
    },
  });
  return withInstallation(values.wait, async (switching) => {
    const journal = switching.installation.journal();
    if (journal?.state !== 'updated' && journal?.state !== 'rolling-back')
      throw new Error('there is no update to roll back');
    const { from, to } = journal;
    if (!switching.installation.has(from)) throw new Error(`the release ${from} is not installed any more`);
    // Also of a rollback that was killed: the service may have been started since, and have accepted orders.
    const mayLoseSends = values['with-open-sends'];
    const loss = readLoss(switching, journal);
    showLoss(journal, loss);
    if (!mayLoseSends) requireSettledSends(loss);
    if (!values.yes && !(await isConfirmed(from))) throw new Error(`nothing was changed: ${to} stays`);
    stopService();
    // The service has accepted orders until now.
    if (!mayLoseSends) startUnlessSettled(readLoss(switching, journal));
    switching.installation.note({ ...journal, state: 'rolling-back' });
    await goBack(switching, journal);
  });
});

type Loss = z.infer<typeof lossSchema> & { readonly since: number };

/** The losses of a rollback; null if the older release reads the database as it is, or has made it already. */
function readLoss(
  { installation, config }: Switching,
  { to, migration, stoppedAt, backedUpAt }: Journal,
): Loss | null {
  if (migration === null) return null;
  // The copy of when the old release was stopped is newer than the backup, but may have been removed.
  const copy = join(config.dataDir, `tilld.sqlite.before-${migration}`);
  const since = existsSync(copy) ? (stoppedAt ?? backedUpAt) : backedUpAt;
  const step = ['made-since', String(since), migration];
  const { loss } = runStep(installation, { version: to, step, schema: made });
  return loss === null ? null : { since, ...loss };
}

function showLoss({ from, to }: Journal, loss: Loss | null): void {
  if (loss === null) {
    printLine(`${from} reads the database of ${to}: nothing would be lost.`);
    return;
  }
  printLine(`A rollback from ${to} to ${from} loses the following, created since ${isoTime(loss.since)}:`);
  printLine(`  payments      ${loss.payments}${sums(loss.paymentSums)}`);
  printLine(`  sends         ${loss.sends}${sums(loss.sendSums)}`);
  printLine(`  webhooks      ${loss.events} events`);
  printLine(`  refund links  ${loss.refundLinks}`);
  printLine(`  accounts      ${loss.accounts}, shops ${loss.shops}`);
  printLine(
    `Received since${sums(loss.receivedSums) || ': nothing'}; the chains are read again, so this money stays in the balance.`,
  );
  for (const send of loss.openSends) printLine(`  not settled: ${send}`);
}

function requireSettledSends(loss: Loss | null): void {
  const open = loss?.openSends.length ?? 0;
  if (open > 0)
    throw new Error(`${open} sends since the update are not settled: wait until tillctl sends shows none`);
}

/** Starts the stopped service again, and refuses, if a send was ordered just before the stop. */
function startUnlessSettled(loss: Loss | null): void {
  try {
    requireSettledSends(loss);
  } catch (error) {
    startService();
    throw error;
  }
}

function sums(texts: readonly string[]): string {
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

async function isConfirmed(version: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  return (await ask(`Type "${version}" to go back: `, false)).trim() === version;
}

async function goBack({ installation, config, waitMs }: Switching, journal: Journal): Promise<void> {
  const { from, to, migration, backup } = journal;
  stopService();
  if (migration !== null) {
    const step = { version: from, step: ['rewind', migration, backup], schema: rewound };
    const { newer } = runStep(installation, step);
    if (newer !== undefined) printLine(`the database of ${to} is kept as ${newer}`);
  }
  replaceUnits(installation, to, from);
  installation.switchTo(from);
  if (migration !== null && config.replica !== null) {
    installation.note({ ...journal, state: 'rolled-back' });
    warn('The replica has the newer database: run tillctl promote, then start the service.');
    return;
  }
  startService();
  const problem = await waitForService(config, { version: from, mustBeReady: journal.wasReady, waitMs });
  installation.note({ ...journal, state: 'rolled-back' });
  if (problem !== null) throw new Error(`${from} was started, but ${problem}`);
  printLine(`tilld is ${from} again.`);
}
