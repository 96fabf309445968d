import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { requireNode } from '../_helpers/nodes/index.ts';
import { startTime } from '../_helpers/nodes/proc.ts';

const VITEST = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
const CONFIG = join(import.meta.dirname, 'fixtures/shared-nodes.config.ts');

const available = requireNode('BTC') && requireNode('LTC');

describe.skipIf(!available)('the shared nodes of a test run', () => {
  it('are started once per coin for all test files, and stopped at the end of the run', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [VITEST, 'run', '--config', CONFIG]);
    const attached = [...stdout.matchAll(/attached (BTC|LTC) (\d+)/g)].map(([line]) => line);
    expect(attached).toHaveLength(4);
    const distinct = [...new Set(attached)];
    expect(distinct).toHaveLength(2);
    for (const line of distinct) expect(startTime(Number(line.split(' ')[2]))).toBeNull();
  });
});
