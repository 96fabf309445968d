import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { packageVersion } from '../config/package-root.ts';
import { isoTime } from '../domain/iso-time.ts';
import { readiness, runningVersion, type Readiness } from './query-daemon.ts';
import { parseCall, printLine, runCommand, toolConfig } from './command.ts';
import { Installation } from './release/installation.ts';
import { installRoot } from './service.ts';

const USAGE = `Shows the state of the daemon: version, readiness, each coin, database, backups and installed releases.

  tillctl status [--json] [--data-dir DIR]

Exit code 1 when the daemon does not respond or is not ready.`;

/** Files in the data directory whose modification time says when something last succeeded. */
const LAST_BACKUP = 'last-backup';
const LAST_RESTORE_TEST = 'last-restore-test';

interface Status {
  readonly version: string;
  readonly running: string | null;
  readonly ready: boolean;
  readonly network: string;
  readonly dataDir: string;
  readonly databaseBytes: number | null;
  readonly freeBytes: number | null;
  readonly lastBackup: string | null;
  readonly lastRestoreTest: string | null;
  readonly releases: readonly string[];
  /** An update or rollback that was interrupted. */
  readonly unfinished: string | null;
  readonly readiness: Readiness | null;
}

await runCommand(USAGE, async (args) => {
  const { values } = parseCall({
    args,
    options: { 'data-dir': { type: 'string' }, json: { type: 'boolean', default: false } },
  });
  const status = await readStatus(toolConfig(values['data-dir']));
  if (values.json) printLine(JSON.stringify(status, null, 2));
  else for (const line of lines(status)) printLine(line);
  return status.ready ? 0 : 1;
});

async function readStatus(config: Config): Promise<Status> {
  const { dataDir } = config;
  const [running, state] = [await runningVersion(config), await readiness(config)];
  const root = installRoot();
  const free = existsSync(dataDir) ? statfsSync(dataDir) : null;
  return {
    version: packageVersion(),
    running,
    ready: state?.ready ?? false,
    network: config.network ?? 'sandbox only',
    dataDir,
    databaseBytes: statSync(join(dataDir, 'tilld.sqlite'), { throwIfNoEntry: false })?.size ?? null,
    freeBytes: free === null ? null : free.bavail * free.bsize,
    lastBackup: modifiedAt(join(dataDir, LAST_BACKUP)),
    lastRestoreTest: modifiedAt(join(dataDir, LAST_RESTORE_TEST)),
    releases: root === null ? [] : installedReleases(root),
    unfinished: root === null ? null : unfinishedChange(root),
    readiness: state,
  };
}

function modifiedAt(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? null : isoTime(Math.round(found.mtimeMs));
}

function installedReleases(root: string): string[] {
  const current = join(root, 'current', 'package.json');
  const version = existsSync(current)
    ? String((JSON.parse(readFileSync(current, 'utf8')) as { version: unknown }).version)
    : null;
  const names = readdirSync(join(root, 'releases')).filter((name) => !name.startsWith('.'));
  return names.toSorted().map((name) => (name === version ? `${basename(name)} (current)` : basename(name)));
}

/** What an interrupted update or rollback needs. */
function unfinishedChange(root: string): string | null {
  const journal = new Installation(root).journal();
  if (journal?.state === 'rolling-back') return 'a rollback is not finished: run tillctl rollback --yes';
  if (journal?.state !== 'updating' && journal?.state !== 'switching-back') return null;
  return `the update to ${journal.to} is not finished: run tillctl update`;
}

function lines(status: Status): string[] {
  const { running, readiness: state } = status;
  const daemon =
    running === null ? 'does not respond' : `${running}, ${status.ready ? 'ready' : 'NOT READY'}`;
  return [
    `daemon        ${daemon}`,
    `tillctl       ${status.version}`,
    `network       ${status.network}`,
    ...Object.entries(state?.chains ?? {}).map(([chain, { state: name, lag, lastError }]) => {
      const behind = typeof lag === 'number' && lag > 0 ? `, ${lag} blocks behind` : '';
      const error = typeof lastError === 'string' ? `: ${lastError}` : '';
      return `${chain.padEnd(13)} ${name}${behind}${error}`;
    }),
    `data          ${status.dataDir}`,
    `database      ${megabytes(status.databaseBytes)}, ${megabytes(status.freeBytes)} free`,
    `last backup   ${status.lastBackup ?? 'never'}`,
    `restore test  ${status.lastRestoreTest ?? 'never'}`,
    ...(status.releases.length === 0 ? [] : [`releases      ${status.releases.join(', ')}`]),
    ...newerRelease(state),
    ...(status.unfinished === null ? [] : [`WARNING       ${status.unfinished}`]),
    ...(state?.warnings ?? []).map((text) => `WARNING       ${text}`),
  ];
}

function newerRelease(state: Readiness | null): string[] {
  const { version, security, notesUrl } = state?.update ?? {};
  if (version === undefined) return [];
  return [`update        ${version}${security === true ? ', for security' : ''}: ${notesUrl ?? ''}`];
}

function megabytes(bytes: number | null): string {
  return bytes === null ? 'none' : `${Math.round(bytes / 1e6)} MB`;
}
