import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test.each(['scripts/start', 'Dockerfile', 'config/tilld.service'])(
  '%s starts the daemon with the options that keep it small, and its helpers from the way of requests',
  (file) => {
    const [line = ''] = read(file).match(/^(?:exec node|ENTRYPOINT|ExecStart=).*dist\/main\.js.*$/m) ?? [];
    expect(line.match(/--[a-z0-9-]+(?:=\d+)?/g)).toEqual([
      '--min-semi-space-size=8',
      '--max-semi-space-size=8',
      '--max-old-space-size=512',
      '--memory-saver-mode',
      '--v8-pool-size=2',
      '--no-parallel-scavenge',
    ]);
    const malloc = read(file).matchAll(/(MALLOC_[A-Z_]+)(?:=|="\$\{MALLOC_[A-Z_]+:-)(\d+)\b/g);
    expect(Object.fromEntries([...malloc].map(([, name, value]) => [name, value]))).toEqual({
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '1048576',
      MALLOC_TRIM_THRESHOLD_: '1048576',
    });
  },
);
