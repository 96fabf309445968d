/** Every command that a document shows is run by a test or a script of CI, or its block says `sh not-run`. */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCommands, unlabelledCommands, type ShellCommand } from './shell-commands.ts';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'config/archive-readme.md',
  ...globSync(['docs/**/*.md', 'packages/*/README.md']),
].toSorted();

interface Coverage {
  /** Of the commands. */
  readonly pattern: RegExp;
  /** Where they are found, if not everywhere. */
  readonly document?: string;
  /** The test or script that runs such a command, and a text in it that shows it. */
  readonly by: string;
  readonly proof: string;
}

const tool = (name: string, by: string, proof = `'${name}'`): Coverage => ({
  pattern: new RegExp(String.raw`^(sudo |till |once |\S+=\S+ )*(tillctl |scripts/)?${name}\b`),
  by: `test/integration/ops/${by}.test.ts`,
  proof,
});
const inReadme = { document: 'README.md', by: 'test/compose/regtest.test.ts' };

const COVERED: readonly Coverage[] = [
  { pattern: /^(tilld-\S+\/)?bin\/tilld$/, by: 'test/integration/ops/release.test.ts', proof: "'bin/tilld'" },
  { pattern: /^tar -xzf tilld-\S+-linux-x64/, by: 'test/integration/ops/release.test.ts', proof: "['-xzf'" },
  { pattern: /^sha256sum --check/, by: 'test/integration/ops/release.test.ts', proof: "'--check'" },
  { pattern: /^ssh-keygen -Y verify/, by: 'test/integration/ops/release.test.ts', proof: "'-Y', 'verify'" },
  { pattern: /^scripts\/release --sign/, by: 'test/_helpers/release-archives.ts', proof: "'--sign'" },
  {
    pattern: /^scripts\/install-check/,
    by: 'test/integration/ops/release.test.ts',
    proof: "'scripts/install-check'",
  },
  { pattern: /install\.sh --dry-run/, by: 'scripts/install-check', proof: 'install_sh --dry-run --domain' },
  { pattern: /install\.sh --domain/, by: 'scripts/install-check', proof: 'install_sh --domain' },
  { pattern: /install\.sh uninstall$/, by: 'scripts/install-check', proof: 'install_sh uninstall' },
  {
    pattern: /install\.sh uninstall --dry-run/,
    by: 'test/integration/ops/install.test.ts',
    proof: "install('uninstall', '--dry-run')",
  },
  {
    pattern: /^(TILLD_\S+ )?scripts\/start$/,
    by: 'test/integration/ops/start.test.ts',
    proof: "'scripts/start'",
  },
  { pattern: /^scripts\/test$/, by: '.ci/run', proof: 'scripts/test' },
  { pattern: /^scripts\/shops-check/, by: '.ci/run', proof: 'scripts/shops-check' },
  {
    ...inReadme,
    pattern: /^(\w+=)?(\$\()?(curl|echo)\b.*\bAPI\b|^(API|PAYER)=|^json\(\)|^sleep /,
    proof: 'A first payment',
  },
  { ...inReadme, pattern: /^(PUBLIC|SECRET)=\$\(echo/, proof: 'A first payment' },
  { ...inReadme, pattern: /^docker compose up -d --wait/, proof: "'up', '-d', '--build', '--wait'" },
  { ...inReadme, pattern: /^docker compose exec miner pay/, proof: "exec('miner', 'pay'" },
  { ...inReadme, pattern: /^docker compose down/, proof: "['down'" },
  { pattern: /scripts\/nodes (start|stop)/, by: 'test/nodes/cli.test.ts', proof: "'start'" },
  { pattern: /^scripts\/nodes pay/, by: 'test/nodes/cli.test.ts', proof: "'pay'" },
  { pattern: /^scripts\/nodes mine/, by: 'test/nodes/cli.test.ts', proof: "'mine'" },
  {
    pattern: /payment\/month-report/,
    by: 'test/integration/http/month-report.test.ts',
    proof: '/payment/month-report',
  },
  { pattern: /payment\/export/, by: 'test/integration/http/export.test.ts', proof: '/payment/export' },
  {
    pattern: /\/merchant\/events\?after/,
    by: 'test/integration/http/events.test.ts',
    proof: '/merchant/events?after',
  },
  {
    pattern: /payment\/refund /,
    document: 'docs/refunds.md',
    by: 'test/compose/regtest.test.ts',
    proof: 'A first payment',
  },
  {
    pattern: /payment\/refund-link/,
    by: 'test/integration/refunds/refund-link.test.ts',
    proof: '/payment/refund-link',
  },
  {
    pattern: /^curl -s \S*300[01]\/readyz/,
    by: 'scripts/install-check',
    proof: 'http://127.0.0.1:3001/readyz',
  },
  { pattern: /^curl -s \S*3001\/metrics/, by: 'test/integration/ops/metrics.test.ts', proof: '/metrics' },
  tool('status', 'tillctl'),
  tool('check-config', 'tillctl'),
  tool('backup', 'backup'),
  tool('restore-test', 'tillctl'),
  tool('restore', 'backup'),
  tool('users', 'users-tool'),
  tool('seed', 'backup'),
  {
    pattern: /^bitcoin-cli createwallet/,
    document: 'docs/keys.md',
    by: 'test/integration/ops/seed-descriptors.test.ts',
    proof: "rpc('createwallet'",
  },
  {
    pattern: /^bitcoin-cli \S+ getbalances/,
    document: 'docs/keys.md',
    by: 'test/integration/ops/seed-descriptors.test.ts',
    proof: "'getbalances'",
  },
  tool('rescan', 'rescan'),
  tool('check', 'release', "'scripts/check'"),
  tool('reconcile', 'reconcile'),
  // Machine starts it.
  tool('replicate', 'second-machine', 'Machine.start('),
  tool('promote', 'second-machine'),
  tool('update', 'update'),
  tool('rollback', 'update'),
  tool('freeze', 'freeze-tool'),
  tool('unfreeze', 'freeze-tool'),
  tool('logs', 'tillctl'),
  tool('--help', 'tillctl'),
  {
    pattern: /^export TILLD_REPLICA_URL=/,
    by: 'test/integration/ops/second-machine.test.ts',
    proof: 'TILLD_REPLICA_URL',
  },
  { pattern: /scripts\/listen /, by: 'test/integration/ops/listen.test.ts', proof: "'--forward-to'" },
  {
    pattern: /^docker compose --profile shop up/,
    by: 'test/compose/shop.test.ts',
    proof: "'--profile', 'shop'",
  },
  {
    pattern: /^docker compose --env-file mainnet\.env up -d --build$/,
    by: 'test/compose/mainnet.test.ts',
    proof: "'up', '-d', '--build'",
  },
  {
    pattern: /^docker compose --env-file mainnet\.env logs tilld-mainnet/,
    by: 'test/compose/mainnet.test.ts',
    proof: "'logs', '--no-log-prefix', 'tilld-mainnet'",
  },
  { pattern: /^docker compose --env-file mainnet\.env ps$/, by: 'test/compose/project.ts', proof: "['ps'" },
  {
    pattern: /^tar -xzf tilld-\S+-source/,
    by: 'test/integration/ops/release.test.ts',
    proof: '-source.tar.gz',
  },
  {
    pattern: /secrets\b|^cp docker\/mainnet\.env\.example/,
    document: 'docs/production.md',
    by: 'test/unit/project/commands.test.ts',
    proof: 'preparing a folder for Docker',
  },
  {
    pattern: /^(scripts\/build-packages|npm install \S+\.tgz)/,
    document: 'packages/sdk/README.md',
    by: 'test/integration/sdk/package.test.ts',
    proof: "'scripts/build-packages'",
  },
  {
    pattern: /^scripts\/build-packages|^npm install \S+\.tgz/,
    by: 'test/shops/_helpers/install.ts',
    proof: 'readmeCommands(shop)',
  },
  { pattern: /^npx medusa db:migrate/, by: 'test/shops/medusa/driver.ts', proof: "'db:migrate'" },
  { pattern: /^npx medusa start/, by: 'test/shops/medusa/driver.ts', proof: "'start'" },
  {
    pattern: /^packages\/woocommerce\/build/,
    by: 'test/shops/woocommerce/driver.ts',
    proof: 'packages/woocommerce/build',
  },
];

const commands = DOCUMENTS.flatMap(readCommands);
const run = commands.filter(({ isMarked }) => !isMarked);
const covers = ({ pattern, document }: Coverage, command: ShellCommand): boolean =>
  pattern.test(command.text) && (document ?? command.document) === command.document;

describe('commands of the documents', () => {
  it('are read from the documents by this check', () => expect(run.length).toBeGreaterThan(80));

  it('are executed by a test or script, unless their block is marked as not executed', () => {
    const unknown = run.filter((command) => !COVERED.some((each) => covers(each, command)));
    expect(unknown.map(({ document, line, text }) => `${document}:${line} ${text}`)).toEqual([]);
  });

  it('are in code blocks that name their language', () => {
    expect(DOCUMENTS.flatMap(unlabelledCommands)).toEqual([]);
  });
});

describe('the table of commands', () => {
  it.each(COVERED.map((each) => [each.pattern.source, each] as const))(
    'covers %s by a file that executes it',
    (_, each) => {
      expect(readFileSync(each.by, 'utf8').includes(each.proof)).toBe(true);
      expect(run.some((command) => covers(each, command))).toBe(true);
    },
  );
});

describe('preparing a folder for Docker by the commands of production.md', () => {
  it('creates the settings, and secrets that only their owner can read', () => {
    const lines = run
      .filter(({ document, text }) => document === 'docs/production.md' && /secrets\b|^cp docker/.test(text))
      .filter(({ text }) => !/install\.sh/.test(text));
    const folder = mkdtempSync(join(tmpdir(), 'tilld-docker-'));
    cpSync('docker', join(folder, 'docker'), { recursive: true });
    // Root gives the files to the user of the containers.
    const script = ['set -eu', 'sudo() { test "$1" = chown; }', ...lines.map(({ text }) => text)].join('\n');
    execFileSync('bash', ['-c', script], { cwd: folder });
    const mode = (path: string): string => (statSync(join(folder, path)).mode & 0o777).toString(8);
    const secrets = ['keyring-passphrase', 'eth-rpc-url', 'sol-rpc-url', 'smtp-url'];
    expect(['secrets', 'backups', ...secrets.map((name) => `secrets/${name}`)].map(mode)).toEqual([
      '700',
      '700',
      ...secrets.map(() => '600'),
    ]);
    expect(readFileSync(join(folder, 'mainnet.env'), 'utf8')).toContain('COMPOSE_PROFILES=mainnet');
    expect(readFileSync(join(folder, 'secrets/keyring-passphrase'), 'utf8')).toMatch(/^[\w+/]{43}=\n$/);
    rmSync(folder, { recursive: true });
  });
});
