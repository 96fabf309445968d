import { describe, expect, it } from 'vitest';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_COINS, requireNode, startBitcoind } from '../_helpers/nodes/index.ts';
import { freePort, listensOn, startTime } from '../_helpers/nodes/proc.ts';

const LIBRARY = join(import.meta.dirname, '../_helpers/nodes/index.ts');

/** Runs a few lines of TypeScript with the library in another process. */
function runScript(
  code: string,
  env: NodeJS.ProcessEnv = {},
): { status: number | null; stdout: string; stderr: string } {
  const source = `import * as lib from ${JSON.stringify(LIBRARY)};\n${code}`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '-e', source],
    { encoding: 'utf8', env: { ...process.env, ...env } },
  );
  return { status, stdout, stderr };
}

describe('a test run on a machine without node binaries', () => {
  const nowhere = { PATH: '/nonexistent', TILLD_NODES_DIR: '/nonexistent' };

  it.each(NODE_COINS)(
    'fails in CI, and elsewhere skips the tests of %s with one line of instructions',
    (coin) => {
      const code = `console.log(lib.requireNode('${coin}'), lib.requireNode('${coin}'));`;
      const ci = runScript(code, { ...nowhere, CI: 'true' });
      expect(ci.status).not.toBe(0);
      expect(ci.stderr).toContain('scripts/nodes install');
      const elsewhere = runScript(code, { ...nowhere, CI: '' });
      expect(elsewhere).toMatchObject({ status: 0, stdout: 'false false\n' });
      expect(elsewhere.stderr.match(/SKIPPING every/g)).toHaveLength(1);
    },
  );
});

describe.skipIf(!requireNode('BTC'))('the processes of a private node', () => {
  it('are identified by their listening port, and distinguished from other processes', async () => {
    await using node = await startBitcoind({ funded: false });
    expect(listensOn(node.pid, node.rpcPort)).toBe(true);
    expect(listensOn(process.pid, node.rpcPort)).toBe(false);
    expect(listensOn(node.pid, await freePort())).toBe(false);
  });

  it.each(['process.exit(3)', "process.kill(process.pid, 'SIGKILL')"])(
    'do not survive a test process that ends by %s',
    async (ending) => {
      const { stdout } = runScript(`
        const node = await lib.startBitcoind({ funded: false });
        process.stdout.write(node.pid + ' ' + node.dataDir, () => { ${ending}; });
      `);
      const [pid = '', dataDir = ''] = stdout.split(' ');
      expect(Number(pid)).toBeGreaterThan(1);
      await expect.poll(() => startTime(Number(pid)), { timeout: 5000 }).toBeNull();
      // What a killed process left is removed by the next one that starts a node.
      runScript(`await (await lib.startBitcoind({ funded: false })).stop();`);
      expect(readdirSync(tmpdir()).map((name) => join(tmpdir(), name))).not.toContain(dataDir);
    },
  );

  it('use pruning on request', async () => {
    await using node = await startBitcoind({ pruned: true });
    await node.mine(600);
    await node.rpc('pruneblockchain', [500]);
    const info = await node.rpc<{ pruned: boolean; pruneheight: number }>('getblockchaininfo');
    expect(info.pruned).toBe(true);
    expect(info.pruneheight).toBeGreaterThan(100);
    await expect(node.rpc('getblock', [await node.blockHash(1), 0])).rejects.toThrow(/pruned/i);
  });
});
