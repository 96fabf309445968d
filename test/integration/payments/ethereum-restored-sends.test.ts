import { copyFileSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { copySqlite } from '../../../src/store/sqlite/files.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { Shop, type SendJson } from '../../_helpers/api-client.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';

const HOUR_MS = 3_600_000;
const GWEI = 1_000_000_000n;
const OPTIONS = { sendPolicy: { ...DEFAULT_SEND_POLICY, retryMs: 500, rebroadcastMs: 1_000 } };

type Status = SendJson & { error: string | null };

/** A till restored from a copy that was made between a send and what became of it. */
describe.skipIf(!requireAnvil())('an ETH send from before a restore', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let till: Till;
  let shop: Shop;
  let dir: string;

  beforeEach(async () => {
    world = await openLiveWorld('ETH', { app: OPTIONS });
    ({ node: anvil, till, shop } = world);
    await anvil.pay({ address: shop.wallets.ETH, amount: parseCoinAmount('1', 'ETH') });
    await anvil.mine(4);
    await eventually(
      'the money is there',
      () => shop.balance('ETH'),
      (text) => text === '1',
    );
  });
  afterEach(async () => world.end());

  const statusBy = async (asked: Till, id: string): Promise<Status> =>
    asked.api.must('GET', `/merchant/wallet/send-status?sendId=${id}`, { token: shop.secretKey });

  const sendAndCopy = async (destination: string): Promise<Status> => {
    const { body } = await shop.send({ coin: 'ETH', amount: '0.2', destination });
    dir = mkdtempSync(join(tmpdir(), 'tilld-restored-'));
    copySqlite(join(till.dataDir, 'tilld.sqlite'), join(dir, 'tilld.sqlite'));
    const revocations = readdirSync(till.dataDir).filter((file) => file.startsWith('revocations.'));
    for (const file of ['keyring.json', 'keyring-passphrase', ...revocations])
      copyFileSync(join(till.dataDir, file), join(dir, file));
    return statusBy(till, body.data.id);
  };
  /** The till stops for good, and one is started from the copy. */
  const restored = async (): Promise<Till> => {
    const now = till.clock.now();
    await till.end();
    const { db } = await openDatabase(join(dir, 'tilld.sqlite'));
    await writeMeta(db, 'restored_at', String(now));
    await db.close();
    till = await Till.start(liveEnv({ ETH: anvil.rpcUrl }), OPTIONS, dir);
    await till.ready();
    return till;
  };

  it('is confirmed when a replacement is mined that the restored database does not contain', async () => {
    const destination = await anvil.newAddress();
    const sent = await sendAndCopy(destination);
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${(30n * GWEI).toString(16)}`]);
    await anvil.mine(1);
    till.clock.advance(2 * HOUR_MS);
    const raised = await eventually(
      'the fee is raised',
      () => statusBy(till, sent.id),
      ({ txHash }) => txHash !== sent.txHash,
    );
    const mined = await eventually(
      'it is mined',
      async () => {
        await anvil.mine(1);
        return statusBy(till, sent.id);
      },
      ({ status }) => status === 'confirmed',
    );
    const again = await restored();
    const found = await eventually(
      'it is known again',
      () => statusBy(again, sent.id),
      ({ status }) => status !== 'broadcast' && status !== 'signed',
    );
    expect(found).toMatchObject({
      status: 'confirmed',
      txHash: raised.txHash,
      fee: mined.fee,
      amount: '0.2',
    });
    expect(await anvil.balance(destination)).toBe(parseCoinAmount('0.2', 'ETH'));
  });

  it('fails once another transaction with its nonce is finalized, and not before', async () => {
    const destination = await anvil.newAddress();
    const sent = await sendAndCopy(destination);
    await shop.api.must('POST', '/merchant/wallet/send/cancel', {
      token: shop.secretKey,
      body: { sendId: sent.id },
    });
    await eventually(
      'the cancellation is mined',
      async () => {
        await anvil.mine(1);
        return anvil.rpc<unknown>('eth_getTransactionCount', [shop.wallets.ETH, 'latest']);
      },
      (count) => count === '0x1',
    );
    const again = await restored();
    await anvil.mine(20);
    const tried = async (): Promise<Status> => {
      again.clock.advance(5_000);
      return statusBy(again, sent.id);
    };
    const { db } = await openDatabase(join(dir, 'tilld.sqlite'));
    const offers = async (): Promise<number> => {
      await tried();
      const send = await db.selectFrom('sends').select('broadcasts').where('id', '=', sent.id).execute();
      return send[0]?.broadcasts ?? 0;
    };
    const triedAgain = async (): Promise<void> => {
      const before = await offers();
      await eventually('it was tried again and again', offers, (count) => count >= before + 3);
    };
    await triedAgain();
    expect((await tried()).status).not.toBe('failed');
    await anvil.mine(70);
    await triedAgain();
    // What is proven has to stay so for some blocks.
    await anvil.mine(10);
    await eventually('it failed', tried, ({ status }) => status === 'failed');
    await db.close();
    expect(await anvil.balance(destination)).toBe(0n);
  });
});
