import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { ensureWebBuilt } from '../../_helpers/web/build.ts';

const run = promisify(execFile);

const built = (): string[] =>
  readdirSync('dist', { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(main|shared-[^/]*|tools\/[a-z]+)\.js$/.test(file))
    .map((file) => join('dist', file));

const isAscii = (file: string): boolean => readFileSync(file).every((byte) => byte < 0x80);

describe('the build', () => {
  // In parallel with the test suite: all other tests run the sources.
  beforeAll(async () => {
    await ensureWebBuilt();
    await run('npm', ['run', '--silent', 'build:server']);
  });

  it('runs as a daemon with its pages, accepts payments and stops on a signal', async () => {
    await using till = await TillProcess.start({}, undefined, 'dist/main.js');
    const shop = await Shop.open(till.api);
    const payments = await Promise.all(Array.from({ length: 30 }, async () => shop.createPayment()));
    const addresses = payments.flatMap(({ options }) => Object.values(options).map((one) => one.address));
    expect(new Set(addresses).size).toBe(30 * 4);
    await till.ready();
    for (const file of readdirSync('dist/web/assets')) {
      expect((await fetch(`${till.api.baseUrl}/assets/${file}`)).status).toBe(200);
    }
    const docs = await fetch(`${till.api.baseUrl}/docs`);
    expect(await docs.text()).toContain('Authorization: Bearer &hellip;');
    expect(await till.terminate()).toBe(0);
    expect(till.output).not.toMatch(/"level":"(warn|error)"/);
  });

  it('contains every command of tillctl, and those that scripts run as separate files', async () => {
    const tillctl = 'dist/tools/tillctl.js';
    const { stdout: usage } = await run(process.execPath, [tillctl, '--help']);
    const commands = [...usage.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(15);
    const tools = readdirSync('dist/tools')
      .filter((file) => file.endsWith('.js'))
      .map((file) => basename(file, '.js'));
    expect(['tillctl', ...commands]).toEqual(expect.arrayContaining(tools));
    for (const name of commands.filter((each) => each !== 'version')) {
      const alone = tools.includes(name) ? [[`dist/tools/${name}.js`]] : [];
      for (const program of [[tillctl, name], ...alone]) {
        const { stdout } = await run(process.execPath, [...program, '--help']);
        expect(stdout).toContain(`tillctl ${name}`);
      }
    }
  });

  it('contains only single-byte characters, because V8 stores other source files with two bytes per character', () => {
    const files = built();
    expect(files).toContain('dist/main.js');
    expect(files.filter((file) => !isAscii(file))).toEqual([]);
  });
});
