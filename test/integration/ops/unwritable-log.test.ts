/** The daemon goes on while its log cannot be written: a full disk, a closed pipe. */
import { spawn, type StdioOptions } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ApiClient, Shop } from '../../_helpers/api-client.ts';
import { freePort } from '../../_helpers/nodes/proc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { inheritedEnv, programFile } from '../../_helpers/program.ts';

it.each([
  ['a full disk', 'ENOSPC'],
  ['a closed pipe', 'EPIPE'],
])(
  'the daemon responds while %s prevents writing its log, and reports dropped lines',
  async (_what, code) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'till-log-'));
    const port = await freePort();
    const full = openSync('/dev/full', 'w');
    const stdio: StdioOptions = code === 'ENOSPC' ? ['ignore', full, full] : ['ignore', 'pipe', 'pipe'];
    const child = spawn(process.execPath, [programFile()], {
      env: {
        ...inheritedEnv(),
        TILLD_CONFIG: 'test/_helpers/till.yaml',
        TILLD_DATA_DIR: dataDir,
        TILLD_PORT: String(port),
      },
      stdio,
    });
    child.stdout?.destroy();
    child.stderr?.destroy();
    closeSync(full);
    const api = new ApiClient(`http://127.0.0.1:${port}`);
    await eventually(
      'the daemon answers',
      async () => {
        if (child.exitCode !== null) throw new Error(`the daemon ended (${child.exitCode})`);
        return (await api.call('GET', '/healthz').catch(() => null))?.status;
      },
      (status) => status === 200,
      120_000,
    );
    await Shop.open(api);
    const { body } = await api.call<{ warnings: string[] }>('GET', '/readyz');
    expect(body.data.warnings).toEqual([expect.stringContaining(`the log cannot be written (${code})`)]);
    const metrics = await (await fetch(`${api.baseUrl}/metrics`)).text();
    expect(Number(/^tilld_log_dropped_lines (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    rmSync(dataDir, { recursive: true, force: true });
  },
);
