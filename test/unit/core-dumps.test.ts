import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { excludeMemoryFromCoreDumps } from '../../src/app/core-dumps.ts';

it.runIf(process.platform === 'linux')(
  'excludeMemoryFromCoreDumps excludes every memory mapping from a core dump',
  () => {
    excludeMemoryFromCoreDumps();
    expect(Number.parseInt(readFileSync('/proc/self/coredump_filter', 'utf8'), 16)).toBe(0);
  },
);

it.each(['config/tilld.service', 'config/tilld-replica.service'])(
  'systemd unit %s disables core dumps',
  (unit) => {
    expect(readFileSync(unit, 'utf8')).toMatch(/^LimitCORE=0$/m);
  },
);
