import { closestMatch } from '../config/closest-match.ts';
import { packageVersion } from '../config/package-root.ts';
import { printLine, warn } from './command.ts';
import { useService } from './service.ts';

interface Command {
  /** Empty for steps of other commands, which are not listed. */
  readonly summary: string;
  /** Runs the command with the remaining arguments. */
  readonly run: () => Promise<unknown>;
  /** Neither needs the settings of the service nor runs as its user. */
  readonly isCallers?: true;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  status: { summary: 'version, readiness, coins, backups; --json', run: () => import('./status.ts') },
  'check-config': {
    summary: 'settings, nodes, mail, backup folder, secrets, certificates; --json',
    run: () => import('./check-config.ts'),
  },
  backup: { summary: 'make an encrypted backup', run: () => import('./backup.ts') },
  restore: { summary: 'fill an empty data directory from a backup', run: () => import('./restore.ts') },
  'restore-test': {
    summary: 'restore the newest backup into a temporary folder and check it',
    run: () => import('./restore-test.ts'),
  },
  users: { summary: 'list accounts; reset a password or a second factor', run: () => import('./users.ts') },
  reconcile: { summary: 'compare the ledger with the chains', run: () => import('./reconcile.ts') },
  rescan: { summary: 'read a chain again', run: () => import('./rescan.ts') },
  sends: { summary: 'list sends that are in no block', run: () => import('./sends.ts') },
  freeze: { summary: 'freeze one wallet or all: nothing is signed', run: () => import('./freeze.ts') },
  unfreeze: { summary: 'lift a freeze', run: () => import('./unfreeze.ts') },
  seed: {
    summary: 'show, verify or restore the 24 words; export descriptors',
    run: () => import('./seed.ts'),
  },
  check: { summary: 'check the database file page by page', run: () => import('./check.ts') },
  replicate: { summary: 'replicate the database', run: () => import('./replicate.ts') },
  promote: { summary: 'take over from another machine', run: () => import('./promote.ts') },
  listen: {
    summary: 'forward events to a webhook handler under development',
    run: () => import('./listen.ts'),
    isCallers: true,
  },
  update: {
    summary: 'update to another release, and back if it does not start',
    run: () => import('./update.ts'),
    isCallers: true,
  },
  rollback: {
    summary: 'return to the previous release; shows what would be lost',
    run: () => import('./rollback.ts'),
    isCallers: true,
  },
  'database-step': { summary: '', run: () => import('./database-step.ts') },
  logs: { summary: 'follow the log of the service', run: () => import('./logs.ts'), isCallers: true },
  version: {
    summary: 'print the version of this release',
    run: async () => printLine(packageVersion()),
    isCallers: true,
  },
};

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

const [name = '--help'] = process.argv.splice(2, 1);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (name === '--help' || name === '-h' || name === 'help') printLine(usage());
else if (name === '--version') printLine(packageVersion());
else if (command === undefined) refuse();
else await start(command);

async function start({ run, isCallers }: Command): Promise<void> {
  const isHelp = process.argv.includes('--help') || process.argv.includes('-h');
  try {
    if (isCallers !== true && !isHelp) useService();
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
    process.exitCode = EXIT_FAILED;
    return;
  }
  await run();
}

function refuse(): void {
  const match = closestMatch(name, Object.keys(COMMANDS));
  warn(`tillctl has no command ${name}${match === null ? '' : `; did you mean ${match}?`}\n\n${usage()}`);
  process.exitCode = EXIT_USAGE;
}

function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((each) => each.length));
  const shown = Object.entries(COMMANDS).filter(([, { summary }]) => summary !== '');
  const lines = shown.map(([each, { summary }]) => `  ${each.padEnd(width)}  ${summary}`);
  return `Operates tilld. tillctl COMMAND --help describes a command.

${lines.join('\n')}

Under systemd run it as root: it takes settings and secrets from the unit tilld.service and runs as the user of the
service. With TILLD_CONFIG in the environment it uses the environment, as the daemon does.`;
}
