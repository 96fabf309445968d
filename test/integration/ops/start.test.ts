import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';

const FILES = [
  'src',
  'locales',
  'scripts',
  'config',
  'package.json',
  'package-lock.json',
  'rolldown.config.ts',
  'vite.config.ts',
  'packages/sdk',
];
const LIMIT_MS = 240_000;

/** A clone of its own: what is built in it concerns no other test. */
let clone: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'till-clone-'));
  const settings = readdirSync('.').filter((name) => /^tsconfig.*\.json$/.test(name));
  for (const name of [...FILES, ...settings]) cpSync(name, join(clone, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(stopped));
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

const BUILDING = 'building the daemon and its pages';
const builds = (): string[] => readdirSync(join(clone, '.build'));

interface Started {
  readonly url: string;
  readonly output: () => string;
  readonly child: ChildProcess;
}

async function start(): Promise<Started> {
  const port = await freePort();
  const child = spawn(join(clone, 'scripts/start'), {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      TILLD_CONFIG: resolve('test/_helpers/till.yaml'),
      TILLD_PORT: String(port),
      TILLD_DATA_DIR: mkdtempSync(join(clone, 'data-')),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  const collect = (chunk: Buffer): void => void (text += chunk.toString('utf8'));
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return { url: `http://127.0.0.1:${port}`, output: () => text, child };
}

async function answers({ url, child, output }: Started): Promise<void> {
  await eventually(
    'the daemon answers',
    async () => {
      if (child.exitCode !== null) throw new Error(`it ended (${child.exitCode}): ${output()}`);
      return fetch(`${url}/healthz`).then(
        ({ status }) => status,
        () => 0,
      );
    },
    (status) => status === 200,
    LIMIT_MS,
  );
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve_) => child.once('exit', resolve_));
  child.kill('SIGTERM');
  await exited;
}

/** The dashboard, and every file that its document names. */
async function servesPages({ url }: Started): Promise<void> {
  const page = await (await fetch(`${url}/dashboard`)).text();
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  expect(files.length).toBeGreaterThan(1);
  for (const path of files) expect((await fetch(url + path)).status).toBe(200);
}

it(
  'scripts/start, run twice concurrently in one clone, builds once, and both daemons serve their pages',
  async () => {
    const both = await Promise.all([start(), start()]);
    for (const one of both) await answers(one);
    for (const one of both) await servesPages(one);
    expect(both.filter((one) => one.output().includes(BUILDING))).toHaveLength(1);
    expect(builds()).toHaveLength(1);
  },
  LIMIT_MS,
);

it(
  'scripts/start, run again, builds nothing unless sources changed, and never changes the pages of a running daemon',
  async () => {
    const running = await start();
    await answers(running);
    expect(running.output()).not.toContain(BUILDING);
    const [build] = builds();
    appendFileSync(join(clone, 'src/web/dashboard/index.html'), '<!-- changed -->\n');
    const next = await start();
    await answers(next);
    expect(next.output()).toContain(BUILDING);
    expect(builds()).toHaveLength(2);
    expect(builds()).toContain(build);
    await servesPages(running);
    await servesPages(next);
  },
  LIMIT_MS,
);
