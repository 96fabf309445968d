import { z } from 'zod';
import { isoTime } from '../domain/iso-time.ts';
import { readiness, runningVersion } from './query-daemon.ts';
import { parseCall, printLine, runCommand, UsageError, warn } from './command.ts';
import { unpackArchive } from './release/archive.ts';
import type { Journal } from './release/installation.ts';
import { withInstallation } from './release/privileged.ts';
import { nothing, runRelease, runStep } from './release/release-command.ts';
import { continueUpdate, type Switching } from './release/switch-release.ts';

const SIGNERS = '/etc/tilld/allowed_signers';

const USAGE = `Updates to the release in an archive: checks its signature, unpacks it next to the current one, tries it on a copy of the
database, makes a backup, switches, and waits until it is ready. If it is not, it switches back.

  tillctl update ARCHIVE [--signers FILE | --unsigned] [--wait SECONDS] [--not-ready]
  tillctl update                     continues an update that was interrupted

SHA256SUMS and SHA256SUMS.sig are in the directory of ARCHIVE. --signers (${SIGNERS}) has the key of the releases; --unsigned confirms
that you have checked the origin. --wait (300): how long the new release may take. --not-ready: updates although the
daemon is not ready now; the new release then only has to respond.`;

const tried = z.object({ migration: z.string().nullable() });
const backupLine = /^(.+) \(\d+ bytes, verified\)$/m;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({
    args,
    options: {
      signers: { type: 'string', default: SIGNERS },
      unsigned: { type: 'boolean', default: false },
      wait: { type: 'string', default: '300' },
      'not-ready': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [file, ...more] = positionals;
  if (more.length > 0) throw new UsageError('update accepts one archive');
  return withInstallation(values.wait, async (switching) => {
    try {
      await update(switching, {
        file,
        signers: values.unsigned ? null : values.signers,
        mayBeUnready: values['not-ready'],
      });
    } catch (error) {
      const state = switching.installation.journal()?.state;
      if (state === 'updating' || state === 'switching-back')
        warn('The update is not finished: run tillctl update to continue it.');
      throw error;
    }
  });
});

interface Call {
  readonly file: string | undefined;
  readonly signers: string | null;
  readonly mayBeUnready: boolean;
}

async function update(switching: Switching, call: Call): Promise<void> {
  const unfinished = switching.installation.journal();
  if (unfinished?.state === 'rolling-back')
    throw new Error('a rollback was interrupted: finish it by tillctl rollback --yes');
  if (unfinished?.state === 'updating' || unfinished?.state === 'switching-back') {
    warn(`Continuing the update from ${unfinished.from} to ${unfinished.to}`);
    return continueUpdate(switching, unfinished);
  }
  const { file } = call;
  if (file === undefined) throw new UsageError('name the archive of a release');
  const journal = await prepare(switching, { ...call, file });
  switching.installation.note(journal);
  return continueUpdate(switching, journal);
}

/** Everything that needs no stop: a failure leaves the current release as it is. */
async function prepare(
  { installation, config }: Switching,
  call: Call & { readonly file: string },
): Promise<Journal> {
  const from = installation.current();
  const wasReady = (await readiness(config))?.ready === true && (await runningVersion(config)) === from;
  if (!wasReady && !call.mayBeUnready)
    throw new Error(
      'the daemon is not ready (tillctl status), so an update could not be judged: --not-ready updates anyway',
    );
  const to = await unpackArchive(installation, call.file, call.signers);
  printLine(`${to} is verified and unpacked`);
  runStep(installation, { version: from, step: ['copy'], schema: nothing });
  const { migration } = runStep(installation, { version: to, step: ['try'], schema: tried });
  printLine(
    migration === null ? 'the database is unchanged' : 'the migrations succeed on a copy of the database',
  );
  const backedUpAt = Date.now();
  const time = isoTime(backedUpAt).replace(/[:.]/g, '');
  const target = `${config.backup.folder}/tilld-before-${to}-${time}.backup`;
  const backup = backupLine.exec(runRelease(installation, from, ['backup', target]))?.[1] ?? target;
  printLine(`backup: ${backup}`);
  return { state: 'updating', from, to, backup, migration, wasReady, backedUpAt, stoppedAt: null };
}
