import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;
const PACKAGES = join(HERE, '../../../packages');
const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** What the README leaves out of the configuration. */
const REST = `apiOptions: { hostname: '127.0.0.1', port: Number(process.env.PORT), adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: { tokenMethod: ['cookie'], cookieOptions: { secret: 'of a test' }, superadminCredentials: { identifier: 'superadmin', password: 'superadmin' } },
  dbConnectionOptions: { type: 'sqljs', synchronize: true },
  paymentOptions: { paymentMethodHandlers: [] },`;
const BOOT = `import { bootstrap } from '@vendure/core';
import { config } from './vendure-config.ts';
const app = await bootstrap(config);
const at = 'http://127.0.0.1:' + process.env.PORT;
const settings = await fetch(at + '/tilld/settings');
const body = JSON.stringify({ query: '{ __type(name: "TilldHealth") { fields { name } } }' });
const admin = await fetch(at + '/admin-api', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
process.stdout.write('\\n= ' + JSON.stringify([settings.status, (await admin.json()).data.__type.fields.length]) + '\\n');
await app.close();
process.exit(0);`;

let project: string;

/** A project that has Vendure and nothing of ours, into which npm installs what npm pack made. */
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'vendure-project-'));
  await run(join(HERE, '../install'), ['vendure']);
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(HERE, name), join(project, name));
  await run('npm', ['ci', '--prefer-offline', ...QUIET], { cwd: project }).catch(async () =>
    run('npm', ['install', '--prefer-offline', ...QUIET], { cwd: project }),
  );
  // The plugin is built against the SDK that is installed beside its platform.
  const { installShop } = await import('../_helpers/install.ts');
  await installShop('vendure', '@tilld/vendure-plugin');
  const packed = await Promise.all(['sdk', 'vendure'].map(pack));
  await run('npm', ['install', '--prefer-offline', ...QUIET, ...packed], { cwd: project });
}, 600_000);
afterAll(() => rmSync(project, { recursive: true }));

async function pack(name: string): Promise<string> {
  const args = ['pack', '--json', '--pack-destination', project];
  const { stdout } = await run('npm', args, { cwd: join(PACKAGES, name) });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }];
  return join(project, filename);
}

it('is installed by npm into a Vendure project, whose server starts with the configuration of the README', async () => {
  const readme = readFileSync(join(project, 'node_modules/@tilld/vendure-plugin/README.md'), 'utf8');
  const [, example = ''] = /```ts\n\/\/ vendure-config\.ts\n(.*?)```/s.exec(readme) ?? [];
  expect(example).toContain('  // ...\n');
  writeFileSync(join(project, 'vendure-config.ts'), example.replace('  // ...\n', `  ${REST}\n`));
  writeFileSync(join(project, 'boot.mjs'), BOOT);
  const env = {
    PATH: process.env['PATH'],
    PORT: String(await freePort()),
    TILLD_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    VENDURE_DISABLE_TELEMETRY: 'true',
  };
  const { stdout } = await run(process.execPath, ['boot.mjs'], { cwd: project, env, timeout: 120_000 });
  const [, told = ''] = /^= (.*)$/m.exec(stdout) ?? [];
  expect(JSON.parse(told)).toEqual([403, 5]);
});
