import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWallet } from '../../../src/wallet/derivation.ts';
import { restoreKeyring } from '../../../src/wallet/keyring.ts';
import { requireNode, startNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const PASSPHRASE = 'a passphrase of the operator';
const PASSWORD = 'correct horse battery';
const WORDS = `${'abandon '.repeat(23)}art`;

/** A hundred gap limits away. */
const FAR = 2_000;

describe.each(['BTC', 'LTC'] as const)('money far beyond the gap limit of a %s branch', (coin) => {
  describe.skipIf(!requireNode(coin))('after a restore from the seed words alone', () => {
    let node: RegtestNode;
    let dir: string;

    beforeEach(async () => {
      node = await startNode(coin);
      dir = mkdtempSync(join(tmpdir(), 'till-ops-'));
    });
    afterEach(async () => {
      await node.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    it('is found in the unspent outputs of the node, both received money and change', async () => {
      const keyring = await wordsOnly(dir);
      const wallet = createWallet({ keyring, liveNetwork: 'regtest' });
      const addressAt = (branch: 0 | 1, index: number): string =>
        wallet.address({ coin, mode: 'live', account: 0, branch, index });
      await node.pay({ address: addressAt(0, FAR), amountAtoms: 70_000n });
      await node.pay({ address: addressAt(1, FAR / 2), amountAtoms: 50_000n });
      await node.mine(3);

      const target = join(dir, 'restored');
      writeFileSync(join(dir, 'password'), PASSWORD);
      const env = { ...liveEnv({ [coin]: node.rpcUrl }), TILLD_KEYRING_PASSPHRASE: PASSPHRASE };
      const secrets = ['--words-file', '-', '--password-file', join(dir, 'password')];
      const sizes = ['--accounts', '1', '--gap', '20', '--scan', String(FAR + 1)];
      const made = await runTool(
        'seed',
        ['restore', '--email', 'me@example.com', '--data-dir', target, ...secrets, ...sizes],
        { env, input: WORDS },
      );
      expect(made, made.stderr).toMatchObject({ code: 0 });

      await using till = await Till.start(env, {}, target);
      await till.ready();
      const { token } = await till.api.must<{ token: string }>('POST', '/auth/login', {
        body: { email: 'me@example.com', password: PASSWORD },
      });
      const { merchants } = await till.api.must<{ merchants: { id: string }[] }>('GET', '/merchant/list', {
        token,
      });
      const path = `/merchant/wallet/balances?merchantId=${merchants[0]?.id}`;
      await eventually(
        'all of it is in the balance',
        async () =>
          toAtoms((await till.api.must<Record<string, string>>('GET', path, { token }))[coin] ?? '0'),
        (balance) => balance === 120_000n,
      );
    });
  });
});

async function wordsOnly(dir: string) {
  const argon2 = { memoryKiB: 8, iterations: 1, parallelism: 1 };
  return restoreKeyring({ dataDir: dir, passphrase: PASSPHRASE, argon2, words: WORDS });
}
