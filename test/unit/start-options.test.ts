import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

test.each(['scripts/start', 'Dockerfile', 'config/tilld.service'])(
  '%s starts the daemon with a bounded heap, and no other V8 option',
  (file) => {
    const [line = ''] = read(file).match(/^(?:exec node|ENTRYPOINT|ExecStart=).*\/main\.js.*$/m) ?? [];
    expect(line.match(/--[a-z0-9-]+(?:=\d+)?/g)).toEqual(['--max-old-space-size=512']);
  },
);
