/** A watched account of a real node's coin, with the keys that sign for it by hand. */
import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { Transaction } from '@scure/btc-signer';
import { expect } from 'vitest';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import type { Shop } from '../../_helpers/api-client.ts';
import type { RegtestNode } from '../../_helpers/nodes/index.ts';
import type { Person } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';

const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const CONFIRMATIONS = 2;

export class NodeAccount {
  readonly #master = HDKey.fromMasterSeed(randomBytes(32), VERSIONS);

  /** BTC, one key, with its checksum. */
  get descriptor(): string {
    const fingerprint = this.#master.fingerprint.toString(16).padStart(8, '0');
    const key = this.#master.derive("m/84'/1'/0'").publicExtendedKey;
    const body = `wpkh([${fingerprint}/84h/1h/0h]${key}/<0;1>/*)`;
    return `${body}#${descriptorChecksum(body)}`;
  }

  /** Signs as a hardware wallet does: each input by the path that the PSBT names. */
  sign(psbt: string): string {
    const transaction = Transaction.fromPSBT(Buffer.from(psbt, 'base64'));
    for (let at = 0; at < transaction.inputsLength; at += 1) {
      for (const [, { path }] of transaction.getInput(at).bip32Derivation ?? []) {
        let node = this.#master;
        for (const step of path) node = node.deriveChild(step);
        if (node.privateKey !== null) transaction.signIdx(node.privateKey, at);
      }
    }
    return Buffer.from(transaction.toPSBT(0)).toString('base64');
  }
}

/** Has new orders of a shop paid to the account, and pays one with outputs of these amounts, in atoms. */
export async function fundAccount(
  account: NodeAccount,
  { owner, shop, node }: { readonly owner: Person; readonly shop: Shop; readonly node: RegtestNode },
  amounts: readonly bigint[],
): Promise<void> {
  const { merchantId } = shop;
  const proposal = { merchantId, coin: 'BTC', descriptor: account.descriptor };
  const { body } = await owner.session.call<{ id: string }>('POST', '/merchant/wallet/watch', proposal);
  expect(body.error).toBeNull();
  await owner.session.call('POST', '/merchant/wallet/watch/confirm', { merchantId, id: body.data.id });
  const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
  await node.pay({ address: payment.options.BTC.address, amounts: [...amounts] });
  await node.mine(CONFIRMATIONS);
  await eventually(
    'the order is paid',
    async () => shop.payment(payment.id),
    ({ status }) => status === 'completed',
  );
}
