import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireNode } from '../_helpers/nodes/index.ts';
import { callRpc } from '../_helpers/nodes/json-rpc.ts';
import { startTime } from '../_helpers/nodes/proc.ts';

const SCRIPT = join(import.meta.dirname, '../../scripts/nodes');
/** P2WPKH of a hash without a known key. */
const BURN_SCRIPT = `0014${'07'.repeat(20)}`;
const run = promisify(execFile);

const available = requireNode('BTC') && requireNode('LTC');

describe.skipIf(!available)('scripts/nodes', () => {
  let directory: string;
  const nodes = async (...args: string[]): Promise<string> =>
    (await run(SCRIPT, [...args, '--dir', directory])).stdout.trim();
  const savedPid = (coin: string): number =>
    (JSON.parse(readFileSync(join(directory, `${coin}.json`), 'utf8')) as { pid: number }).pid;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'tilld-nodes-cli-'));
  });
  afterAll(async () => {
    await nodes('stop');
    rmSync(directory, { recursive: true, force: true });
  });

  it('starts both nodes once, and prints their settings as shell variables', async () => {
    const settings = await nodes('start');
    expect(settings.split('\n').map((line) => line.replace(/=.*/, ''))).toEqual([
      'export TILLD_BTC_RPC_URL',
      'export TILLD_LTC_RPC_URL',
      'export TILLD_NETWORK',
    ]);
    const pids = [savedPid('btc'), savedPid('ltc')];
    expect(await nodes('start')).toBe(settings);
    expect([savedPid('btc'), savedPid('ltc')]).toEqual(pids);
    expect(statSync(join(directory, 'btc.json')).mode & 0o077).toBe(0);
  });

  it.each(['btc', 'ltc'] as const)('pays an address and mines a block with %s', async (coin) => {
    const [, url = ''] = new RegExp(`_${coin}_RPC_URL='(.*)'`, 'i').exec(await nodes('start')) ?? [];
    const burn = await callRpc<{ address?: string; addresses?: string[] }>(url, 'decodescript', [
      BURN_SCRIPT,
    ]);
    const txid = await nodes('pay', coin, burn.address ?? burn.addresses?.[0] ?? '', '0.5');
    expect(await callRpc(url, 'getrawmempool')).toEqual([txid]);
    const hash = await nodes('mine', coin, '2');
    expect(await callRpc(url, 'getbestblockhash')).toBe(hash);
    expect(await callRpc(url, 'getrawmempool')).toEqual([]);
    expect(await nodes('status')).toContain(`_${coin.toUpperCase()}_RPC_URL=${url}`);
  });

  it.each([
    ['mine', 'doge'],
    ['mine', 'btc', '0'],
    ['pay', 'btc', 'bcrt1qanybody', '0.123456789'],
    ['pay', 'btc', 'bcrt1qanybody', '0'],
    ['frobnicate'],
    ['status', '--nonsense'],
  ])('rejects %s %s', async (...args) => {
    await expect(nodes(...args)).rejects.toMatchObject({ code: 2, stdout: '' });
  });

  it('never kills another process that has got the recorded process id', async () => {
    const file = join(directory, 'btc.json');
    const saved = readFileSync(file, 'utf8');
    const pid = savedPid('btc');
    writeFileSync(file, saved.replace(/"startTime": "\d+"/, '"startTime": "1"'));
    await nodes('stop', 'btc');
    expect(startTime(pid)).not.toBeNull();
    writeFileSync(file, saved);
    await nodes('stop', 'btc');
    expect(startTime(pid)).toBeNull();
  });

  it('continues with the same chain after a stop', async () => {
    expect(await nodes('start', 'btc')).toContain('TILLD_BTC_RPC_URL');
    expect(await nodes('status')).toMatch(/BTC {2}pid \d+ {2}height 127/);
  });
});
