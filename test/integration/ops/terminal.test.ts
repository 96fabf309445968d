import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../_helpers/poll.ts';
import { programFile } from '../../_helpers/program.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'tilld-terminal-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs the daemon until it listens, stops it, and answers its output. */
async function outputOf(command: string, args: readonly string[], port: number): Promise<string> {
  const child = spawn(command, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      TILLD_CONFIG: 'test/_helpers/till.yaml',
      TILLD_DATA_DIR: dataDir,
      TILLD_PORT: String(port),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const closed = once(child, 'close');
  await eventually(
    'the daemon listens',
    () => output,
    (text) => /listening[^]*\n/.test(text) || child.exitCode !== null,
    120_000,
  );
  // At a terminal the key itself: Ctrl+C.
  if (command === 'script') child.stdin.write('\u0003');
  else child.kill('SIGINT');
  await closed;
  return output.replaceAll('\r', '');
}

it('the daemon prints its dashboard URL, API docs, data directory and readable log lines when its output is a terminal', async () => {
  const port = await freePort();
  const program = `exec '${process.execPath}' '${programFile()}'`;
  const output = await outputOf('script', ['-qefc', program, '/dev/null'], port);
  const lines = output.split('\n');
  const first = lines.findIndex((line) => line.startsWith('  Dashboard'));
  expect(lines.slice(first, first + 5)).toEqual([
    `  Dashboard  http://localhost:${port}/dashboard/register (make your account)`,
    `  API docs   http://localhost:${port}/docs`,
    `  Data       ${dataDir}`,
    expect.stringMatching(/^  Log        here, from level info/),
    '  Stop       Ctrl+C',
  ]);
  expect(output).toMatch(/^\d\d:\d\d:\d\d info  listening url=http/m);
  expect(output).toMatch(/^\d\d:\d\d:\d\d info  stopped/m);
  expect(output).not.toContain('{"level"');
});

it('the daemon writes only JSON lines when its output is not a terminal', async () => {
  const port = await freePort();
  const output = await outputOf(process.execPath, [programFile()], port);
  const lines = output.trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(
    expect.arrayContaining(['starting', 'listening', 'stopped']),
  );
});
