import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'systemctl-'));
  vi.stubEnv('PATH', `${dir}:/usr/bin:/bin`);
  vi.stubEnv('TILLCTL_SERVICE', undefined);
  vi.resetModules();
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

/** A systemctl that notes its calls, and answers yes to these questions. */
function fakeSystemctl(yes: readonly string[]): void {
  const script = `#!/bin/sh
echo "$*" >>${dir}/calls
case "$*" in
  ${yes.join(' | ') || 'none'}) exit 0 ;;
  is-*) exit 1 ;;
esac
`;
  writeFileSync(join(dir, 'systemctl'), script);
  chmodSync(join(dir, 'systemctl'), 0o755);
}

const calls = (): string[] =>
  readFileSync(join(dir, 'calls'), 'utf8')
    .split('\n')
    .filter((call) => /^(stop|start)/.test(call));

describe('stopService and startService under systemd', () => {
  it('control only the daemon when no replica service runs', async () => {
    fakeSystemctl([]);
    const { startService, stopService } = await import('../../src/cli/release/service-control.ts');
    stopService();
    startService();
    expect(calls()).toEqual(['stop tilld', 'start tilld']);
  });

  it('control the replica service as well when it runs', async () => {
    fakeSystemctl(['"is-active --quiet tilld-replica"']);
    const { startService, stopService } = await import('../../src/cli/release/service-control.ts');
    stopService();
    startService();
    expect(calls()).toEqual(['stop tilld tilld-replica', 'start tilld tilld-replica']);
  });

  it('start an enabled replica service also when this process did not stop it', async () => {
    fakeSystemctl(['"is-enabled --quiet tilld-replica"']);
    const { startService } = await import('../../src/cli/release/service-control.ts');
    startService();
    expect(calls()).toEqual(['start tilld tilld-replica']);
  });

  it('stop waiting for the daemon once systemd reports that it failed', async () => {
    fakeSystemctl(['"is-failed --quiet tilld"']);
    const { waitForService } = await import('../../src/cli/release/service-control.ts');
    const { loadConfig } = await import('../../src/config/load-config.ts');
    const config = loadConfig({ env: { TILLD_PORT: '9' }, cwd: dir });
    const wanted = { version: '0.2.0', mustBeReady: true, waitMs: 86_400_000 };
    expect(await waitForService(config, wanted)).toBe('the daemon does not respond');
  });
});
