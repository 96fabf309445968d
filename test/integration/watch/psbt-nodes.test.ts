/** Sends from watched accounts, signed by the wallets of real nodes, or by hand where a node has no such wallet. */
import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { Transaction } from '@scure/btc-signer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { type LiveWorld, openLiveWorld } from '../../_helpers/live-world.ts';
import { NODE_COINS, type RegtestNode, requireNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { newPerson, type Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { Till } from '../../_helpers/till.ts';

const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const PATH = "m/84'/1'/0'";
/** Accounts whose private keys the wallet of the node can hold; litecoind has no descriptors with private keys. */
const SIGNED_BY_NODE = { BTC: ['wpkh(KEY)', 'sh(wpkh(KEY))', 'tr(KEY)'], LTC: [] };

interface SendJson {
  readonly id: string;
  readonly status: string;
  readonly psbt: string | null;
  readonly txHash: string | null;
  readonly fee: string;
  readonly amount: string;
  readonly error: string | null;
  readonly signatures: { readonly required: number; readonly collected: number } | null;
}

const newMaster = (): HDKey => HDKey.fromMasterSeed(randomBytes(32), VERSIONS);
const withChecksum = (body: string): string => `${body}#${descriptorChecksum(body)}`;
const open = (psbt: string): Transaction => Transaction.fromPSBT(Buffer.from(psbt, 'base64'));
const write = (transaction: Transaction): string => Buffer.from(transaction.toPSBT(0)).toString('base64');

function origin(master: HDKey): string {
  return `[${master.fingerprint.toString(16).padStart(8, '0')}/84h/1h/0h]`;
}
const publicKey = (master: HDKey, branch = '<0;1>'): string =>
  `${origin(master)}${master.derive(PATH).publicExtendedKey}/${branch}/*`;
const privateKey = (master: HDKey, branch: number): string =>
  `${origin(master)}${master.derive(PATH).privateExtendedKey}/${branch}/*`;

/** Signs as a hardware wallet does: each input by the path that the PSBT names. */
function signByHand(psbt: string, master: HDKey): string {
  const transaction = open(psbt);
  for (let at = 0; at < transaction.inputsLength; at += 1) {
    for (const [, { fingerprint, path }] of transaction.getInput(at).bip32Derivation ?? []) {
      if (fingerprint !== master.fingerprint) continue;
      let node = master;
      for (const step of path) node = node.deriveChild(step);
      if (node.privateKey !== null) transaction.signIdx(node.privateKey, at);
    }
  }
  return write(transaction);
}

describe.each(NODE_COINS)('sends from a watched account of %s', (coin) => {
  describe.skipIf(!requireNode(coin))('with a real node', () => {
    let world: LiveWorld<RegtestNode, Till>;
    let owner: Person;
    beforeAll(async () => {
      world = await openLiveWorld(coin);
      owner = await newPerson(world.till.api, 'owner');
    });
    afterAll(async () => world.end());

    /** A shop whose orders are paid to this account, with one paid order. */
    async function openAccount(body: string, orders = 1): Promise<Shop> {
      const shop = await Shop.open(world.till.api, { owner: owner.token, webhookUrl: world.sink.url });
      const { merchantId } = shop;
      const { body: proposed } = await owner.session.call<{ id: string }>('POST', '/merchant/wallet/watch', {
        merchantId,
        coin,
        descriptor: withChecksum(body),
      });
      expect(proposed.error).toBeNull();
      const { id } = proposed.data;
      await owner.session.call('POST', '/merchant/wallet/watch/confirm', { merchantId, id });
      for (let order = 0; order < orders; order += 1) {
        const payment = await shop.createPayment({ allowedCryptos: [coin] });
        const { address, amount, requiredConfirmations } = payment.options[coin];
        await world.node.pay({ address, amountAtoms: toAtoms(amount) });
        await world.node.mine(requiredConfirmations);
        await eventually(
          'the order is paid',
          async () => shop.payment(payment.id),
          ({ status }) => status === 'completed',
        );
      }
      return shop;
    }
    const call = async (shop: Shop, path: string, body: object) =>
      world.till.api.call<SendJson>('POST', path, { token: shop.secretKey, body });
    const send = async (shop: Shop, body: object = {}) =>
      call(shop, '/merchant/wallet/send', {
        coin,
        destination: await world.node.newAddress(),
        amount: '0.0004',
        ...body,
      });
    const submit = async (shop: Shop, sendId: string, psbt: string) =>
      call(shop, '/merchant/wallet/psbt/submit', { sendId, psbt });
    const cancel = async (shop: Shop, sendId: string) =>
      call(shop, '/merchant/wallet/send/cancel', { sendId });
    const status = async (shop: Shop, sendId: string): Promise<SendJson> =>
      world.till.api.must<SendJson>('GET', `/merchant/wallet/send-status?sendId=${sendId}`, {
        token: shop.secretKey,
      });
    async function balance(shop: Shop): Promise<bigint> {
      const { body } = await owner.session.call<{ accounts: { balance: string }[] }>(
        'GET',
        `/merchant/wallet/watch?merchantId=${shop.merchantId}`,
      );
      return toAtoms(body.data.accounts[0]?.balance ?? '0');
    }
    async function confirm(shop: Shop, sendId: string): Promise<SendJson> {
      await world.node.mine(1);
      return eventually(
        'the send is confirmed',
        async () => status(shop, sendId),
        (now) => now.status === 'confirmed',
      );
    }

    it('answers a PSBT, takes the signature, broadcasts, and balances the account', async () => {
      const master = newMaster();
      const shop = await openAccount(`wpkh(${publicKey(master)})`);
      const before = await balance(shop);
      const { body, status: code } = await send(shop);
      expect([code, body.error]).toEqual([200, null]);
      const { id, psbt, fee, amount, signatures, status: waiting, txHash } = body.data;
      expect([waiting, txHash, signatures]).toEqual([
        'awaiting_signature',
        null,
        { required: 1, collected: 0 },
      ]);
      if (psbt === null) throw new Error('no PSBT');
      if (coin === 'BTC') expect(open(psbt).getInput(0).nonWitnessUtxo).toBeDefined();
      expect((await send(shop, { amount: 'max' })).body.error?.code).toBe('INSUFFICIENT_BALANCE');
      const signed = await submit(shop, id, signByHand(psbt, master));
      expect(signed.body.data).toMatchObject({ status: 'broadcast', psbt: null, signatures: null });
      // Repeating it shows the send.
      expect((await submit(shop, id, psbt)).body.data.txHash).toBe(signed.body.data.txHash);
      await confirm(shop, id);
      await eventually(
        'the change is counted',
        async () => balance(shop),
        (now) => now === before - toAtoms(amount) - toAtoms(fee),
      );
      // A confirmed transaction is spent again, with its change.
      const all = await send(shop, { amount: 'max' });
      expect(all.body.error).toBeNull();
      await submit(shop, all.body.data.id, signByHand(all.body.data.psbt ?? '', master));
      await confirm(shop, all.body.data.id);
      await eventually(
        'the account is empty',
        async () => balance(shop),
        (now) => now === 0n,
      );
      expect(world.sink.types(id)).toEqual(['send.awaiting_signature', 'send.broadcast', 'send.confirmed']);
    });

    it.each(SIGNED_BY_NODE[coin])(
      'takes what walletprocesspsbt of Bitcoin Core returns for %s',
      async (form) => {
        const master = newMaster();
        const { node } = world;
        const name = `signer ${form}`;
        await node.rpc('createwallet', [name, false, true, '', false, true]);
        const imports = [0, 1].map((branch) => ({
          desc: withChecksum(form.replace('KEY', privateKey(master, branch))),
          internal: branch === 1,
          active: true,
          range: [0, 50],
          timestamp: 'now',
        }));
        await node.walletRpc('importdescriptors', [imports], name);
        const shop = await openAccount(form.replace('KEY', publicKey(master)), 2);
        const sent = await send(shop, { amount: 'max' });
        expect(sent.body.error).toBeNull();
        const { psbt, complete } = await node.walletRpc<{ psbt: string; complete: boolean }>(
          'walletprocesspsbt',
          [sent.body.data.psbt],
          name,
        );
        expect(complete).toBe(true);
        expect((await submit(shop, sent.body.data.id, psbt)).body.error).toBeNull();
        await confirm(shop, sent.body.data.id);
        await eventually(
          'the account is empty',
          async () => balance(shop),
          (now) => now === 0n,
        );
      },
    );

    it('collects the signatures of a 2-of-3 multisig one after another', async () => {
      const masters = [newMaster(), newMaster(), newMaster()] as const;
      const shop = await openAccount(`wsh(sortedmulti(2,${masters.map((one) => publicKey(one)).join(',')}))`);
      const { body } = await send(shop);
      const { id, psbt } = body.data;
      if (psbt === null) throw new Error('no PSBT');
      const copies: string[] = [];
      for (const [at, master] of masters.entries()) {
        if (coin !== 'BTC') {
          copies.push(signByHand(psbt, master));
          continue;
        }
        const name = `cosigner ${at}`;
        await world.node.rpc('createwallet', [name, false, true, '', false, true]);
        const imports = [0, 1].map((branch) => {
          const keys = masters.map((one) =>
            one === master ? privateKey(one, branch) : publicKey(one, `${branch}`),
          );
          const desc = withChecksum(`wsh(sortedmulti(2,${keys.join(',')}))`);
          return { desc, internal: branch === 1, active: true, range: [0, 50], timestamp: 'now' };
        });
        await world.node.walletRpc('importdescriptors', [imports], name);
        const signed = await world.node.walletRpc<{ psbt: string }>('walletprocesspsbt', [psbt], name);
        copies.push(signed.psbt);
      }
      const [first = '', , third = ''] = copies;
      const once = await submit(shop, id, third);
      expect(once.body.data).toMatchObject({
        status: 'awaiting_signature',
        signatures: { required: 2, collected: 1 },
      });
      const again = await submit(shop, id, third);
      expect(again.body.data.signatures).toEqual({ required: 2, collected: 1 });
      expect((await submit(shop, id, first)).body.data.status).toBe('broadcast');
      await confirm(shop, id);
    });

    it('refuses the PSBT of another send and of another shop, and text that is none', async () => {
      const [master, other] = [newMaster(), newMaster()];
      const [shop, stranger] = [
        await openAccount(`wpkh(${publicKey(master)})`, 2),
        await openAccount(`wpkh(${publicKey(other)})`),
      ];
      const [mine, second, theirs] = [
        (await send(shop)).body.data,
        (await send(shop)).body.data,
        (await send(stranger)).body.data,
      ];
      const swapped = [signByHand(second.psbt ?? '', master), signByHand(theirs.psbt ?? '', other)];
      for (const psbt of [...swapped, mine.psbt ?? '', 'cHNidA==', 'A'.repeat(499_000)]) {
        const { body } = await submit(shop, mine.id, psbt);
        expect([body.error?.code, body.error?.details?.[0]?.field]).toEqual(['VALIDATION_INVALID', 'psbt']);
      }
      const oversized = await submit(shop, mine.id, 'A'.repeat(600_000));
      expect(oversized.body.error?.code).toBe('PAYLOAD_TOO_LARGE');
      const foreign = await submit(stranger, mine.id, signByHand(mine.psbt ?? '', master));
      expect(foreign.body.error?.code).toBe('SEND_NOT_FOUND');
      expect((await status(shop, mine.id)).status).toBe('awaiting_signature');
    });

    it('makes one transaction of submissions that race with each other and with a cancellation', async () => {
      const master = newMaster();
      const shop = await openAccount(`wpkh(${publicKey(master)})`, 2);
      const { id, psbt } = (await send(shop)).body.data;
      const signed = signByHand(psbt ?? '', master);
      const answers = await Promise.all([1, 2, 3].map(async () => submit(shop, id, signed)));
      for (const { body } of answers) expect([undefined, 'INVALID_STATE']).toContain(body.error?.code);
      expect((await status(shop, id)).status).toBe('broadcast');
      const later = (await send(shop, { amount: '0.0003' })).body.data;
      const [submitted] = await Promise.all([
        submit(shop, later.id, signByHand(later.psbt ?? '', master)),
        cancel(shop, later.id),
      ]);
      const ended = await status(shop, later.id);
      if (ended.status === 'failed') expect(submitted.body.error?.code).toBe('INVALID_STATE');
      else expect(ended.status).toBe('broadcast');
    });

    it('refuses the signature while the wallet is frozen, and after the limits were lowered', async () => {
      const master = newMaster();
      const shop = await openAccount(`wpkh(${publicKey(master)})`);
      const { id, psbt } = (await send(shop)).body.data;
      const signed = signByHand(psbt ?? '', master);
      const { merchantId } = shop;
      await owner.session.call('POST', '/merchant/wallet/freeze', { merchantId });
      expect((await submit(shop, id, signed)).body.error?.code).toBe('WALLET_FROZEN');
      await owner.session.call('POST', '/merchant/wallet/unfreeze', { merchantId });
      await owner.session.call('PATCH', '/merchant/wallet/limits', { merchantId, allowList: [] });
      const limited = await submit(shop, id, signed);
      expect(limited.body.error?.code).toBe('APPROVAL_REQUIRED');
      expect(await status(shop, id)).toMatchObject({ status: 'awaiting_signature', txHash: null });
      expect((await cancel(shop, id)).body.data).toMatchObject({ status: 'failed', psbt: null });
      expect((await submit(shop, id, signed)).body.error?.code).toBe('INVALID_STATE');
    });

    it('fails when a block spends its outputs elsewhere, and confirms when its signer broadcast it', async () => {
      const master = newMaster();
      const shop = await openAccount(`wpkh(${publicKey(master)})`);
      const first = (await send(shop, { amount: '0.0001' })).body.data;
      await cancel(shop, first.id);
      const second = (await send(shop, { amount: '0.0002' })).body.data;
      // The signer broadcasts the cancelled one.
      const finished = open(signByHand(first.psbt ?? '', master));
      finished.finalize();
      await world.node.rpc('sendrawtransaction', [finished.hex]);
      await confirm(shop, first.id);
      const failed = await eventually(
        'the second one fails',
        async () => status(shop, second.id),
        ({ status }) => status === 'failed',
      );
      expect(failed.error).toContain('another transaction spent the coins');
    });

    it('keeps to the wallet of the till with from: own, and names unknown accounts', async () => {
      const shop = await openAccount(`wpkh(${publicKey(newMaster())})`);
      const own = await send(shop, { from: 'own' });
      expect(own.body.error?.code).toBe('INSUFFICIENT_BALANCE');
      const unknown = await send(shop, { from: 'wat_unknown' });
      expect([unknown.body.error?.code, unknown.body.error?.details?.[0]?.field]).toEqual([
        'VALIDATION_INVALID',
        'from',
      ]);
    });
  });
});
