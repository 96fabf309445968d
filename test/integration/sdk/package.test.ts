import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { TillProcess } from '../../_helpers/till.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const SDK = join(ROOT, 'packages/sdk');
const MOST_BYTES = 7.5 * 1024;

let project: string;
let till: TillProcess;
let env: NodeJS.ProcessEnv;
let packed: readonly string[];

/** An empty project outside this repository, with the package as npm installs it. */
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'sdk-project-'));
  writeFileSync(join(project, 'package.json'), '{ "name": "shop", "private": true }');
  // The commands of the README.
  const { stdout: archive } = await run('scripts/build-packages', ['--into', project, 'sdk'], { cwd: ROOT });
  const { stdout: list } = await run('tar', ['-tzf', archive.trim()]);
  packed = list
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive.trim()], { cwd: project });
  till = await TillProcess.start();
  const shop = await Shop.open(till.api);
  env = { PATH: process.env['PATH'], TILLD_URL: till.api.baseUrl, TILLD_KEY: shop.secretKey };
});
afterAll(async () => {
  await till.end();
  rmSync(project, { recursive: true });
});

function firstExample(): string {
  const text = readFileSync(join(project, 'node_modules/@tilld/sdk/README.md'), 'utf8');
  const [, example] = /```js\n(.*?)```/s.exec(text) ?? [];
  return example ?? expect.unreachable('the README begins with an example');
}

async function output(file: string, text: string): Promise<string> {
  writeFileSync(join(project, file), text);
  const { stdout } = await run(process.execPath, [file], { cwd: project, env, timeout: 60_000 });
  return stdout;
}

const SAYS = /^Send the customer to http\S+\/checkout\/pay_\w+\npaid\n$/;

it('the SDK package contains code, types and documents, and no dependency', () => {
  const others = packed.filter((path) => !path.startsWith('dist/'));
  expect(others.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
  expect(packed).toEqual(
    expect.arrayContaining(
      ['index', 'shop'].flatMap((name) =>
        ['js', 'cjs', 'd.ts', 'd.cts'].map((ending) => `dist/${name}.${ending}`),
      ),
    ),
  );
  const { dependencies } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as {
    dependencies?: object;
  };
  expect(dependencies).toBeUndefined();
});

it('the SDK package runs the first example of its README as an ES module', async () => {
  expect(await output('first.mjs', firstExample())).toMatch(SAYS);
});

it('the SDK package runs the CommonJS example of its README', async () => {
  const [head = '', ...rest] = firstExample().split('\n');
  expect(head).toBe("import { shopState, Tilld } from '@tilld/sdk';");
  const required = "const { shopState, Tilld } = require('@tilld/sdk');";
  expect(readFileSync(join(SDK, 'README.md'), 'utf8')).toContain(required);
  const text = [required, '(async () => {', ...rest, '})();'].join('\n');
  expect(await output('first.cjs', text)).toMatch(SAYS);
});

it('the SDK package has a separate entry for shops in both module systems, with the same error classes', async () => {
  const text = `
    const refused = () => Promise.reject(new TilldError({ code: 'INVALID_STATE', message: 'paid', status: 409 }));
    closePayment({ payments: { cancel: refused } }, 'pay_1').then((closed) => console.log(closed, hasMoney('seen')));
  `;
  const imports = `
    import { TilldError } from '@tilld/sdk';
    import { closePayment, hasMoney } from '@tilld/sdk/shop';
  `;
  const requires = `
    const { TilldError } = require('@tilld/sdk');
    const { closePayment, hasMoney } = require('@tilld/sdk/shop');
  `;
  expect(await output('shop.mjs', imports + text)).toBe('false true\n');
  expect(await output('shop.cjs', requires + text)).toBe('false true\n');
});

it('the SDK package has types for both module systems', async () => {
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(project, 'node_modules/undici-types'));
  const usage = `
    const till = new Tilld({ baseUrl: 'http://x', key: 'sk_1' });
    export const isPaid: boolean = hasMoney('paid');
    export async function use(): Promise<string> {
      const event = await verifyWebhook('', new Headers(), 'whsec_');
      if (event.type === 'refund.paid') return event.data.refundLink.id;
      for await (const payment of till.payments.all({ status: 'completed' })) return payment.refunds[0]!.txHash ?? 'not signed yet';
      // @ts-expect-error: sends need a key
      await till.wallet.send({ coin: 'BTC', amount: '1', destination: 'x' });
      // @ts-expect-error: no such status
      await till.payments.list({ status: 'paid' });
      return (await till.payments.create({ orderId: '1', amount: '1', currency: 'EUR', customer: {} })).checkoutUrl;
    }
  `;
  const importing = `import { Tilld, verifyWebhook } from '@tilld/sdk'; import { hasMoney } from '@tilld/sdk/shop';`;
  writeFileSync(join(project, 'use.mts'), importing + usage);
  writeFileSync(join(project, 'use.cts'), importing + usage);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const checked = run('tsc', [...options, 'use.mts', 'use.cts'], { cwd: project });
  await expect(checked.catch((error: { stdout: string }) => error)).resolves.toMatchObject({ stdout: '' });
});

it('the SDK package has at most 7.5 kB including its currency table, minified and compressed', async () => {
  const bundle = await rolldown({ input: join(SDK, 'src/index.ts'), platform: 'browser' });
  const { output: chunks } = await bundle.generate({ format: 'esm', minify: true });
  const [{ code }] = chunks;
  expect(chunks).toHaveLength(1);
  const bytes = gzipSync(code).length;
  expect(bytes).toBeGreaterThan(2_000);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});
