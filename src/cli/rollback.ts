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

const USAGE = `Goes back to the release of before the last update. Shows first what that would lose.

  tillctl rollback [--yes] [--with-open-sends] [--wait SECONDS]

If the update has changed the schema, the database of before the update is put back: payments, sends and webhooks since
then are not in it. Addresses given out since are not given again, revocations stay, and the chains are read again. The
newer database is kept beside it. Without --yes it asks, on a terminal. --with-open-sends: although sends of since then
are not settled, which the older release would not know.`;

const made = z.object({
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
      throw new Error('there is no update to go back from');
    const { from, to } = journal;
    if (!switching.installation.has(from)) throw new Error(`the release ${from} is not installed any more`);
    if (journal.state === 'updated') {
      const openSends = showLoss(switching, journal);
      if (openSends > 0 && !values['with-open-sends'])
        throw new Error(
          `${openSends} sends since the update are not settled: wait until tillctl sends shows none`,
        );
      if (!values.yes && !(await isConfirmed(from))) throw new Error(`nothing was changed: ${to} stays`);
      switching.installation.note({ ...journal, state: 'rolling-back' });
    }
    await goBack(switching, journal);
  });
});

/** Prints what going back would lose; the number of sends that are not settled. */
function showLoss(
  { installation, config }: Switching,
  { from, to, migration, stoppedAt, backedUpAt }: Journal,
): number {
  if (migration === null) {
    printLine(`${from} reads the database of ${to}: nothing would be lost.`);
    return 0;
  }
  // The copy of when the old release was stopped is newer than the backup, but may have been removed.
  const copy = join(config.dataDir, `tilld.sqlite.before-${migration}`);
  const since = existsSync(copy) ? (stoppedAt ?? backedUpAt) : backedUpAt;
  const loss = runStep(installation, { version: to, step: ['made-since', String(since)], schema: made });
  printLine(`Going back from ${to} to ${from} loses what was made since ${isoTime(since)}:`);
  printLine(`  payments      ${loss.payments}${sums(loss.paymentSums)}`);
  printLine(`  sends         ${loss.sends}${sums(loss.sendSums)}`);
  printLine(`  webhooks      ${loss.events} events`);
  printLine(`  refund links  ${loss.refundLinks}`);
  printLine(`  accounts      ${loss.accounts}, shops ${loss.shops}`);
  printLine(
    `Received since${sums(loss.receivedSums) || ': nothing'}; the chains are read again, so this money stays in the balance.`,
  );
  for (const send of loss.openSends) printLine(`  not settled: ${send}`);
  return loss.openSends.length;
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
