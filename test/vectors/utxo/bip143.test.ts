/** BIP-143: the P2WPKH example, then every signature that signSend makes, checked the long way. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { RawTx } from '@scure/btc-signer';
import { describe, expect, it } from 'vitest';
import { addressScript } from '../../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { signSend } from '../../../src/chains/utxo/sends/sign-send.ts';
import { OwnKeys } from '../../conformance/own-keys.ts';
import { doubleSha } from '../../unit/chains/utxo/raw-chain.ts';

type Raw = ReturnType<typeof RawTx.decode>;

/** The digest that an input of a P2WPKH output signs, written down from the BIP. */
function digest(transaction: Raw, at: number, keyHash: Uint8Array, amount: bigint): Buffer {
  const outpoint = (input: Raw['inputs'][number]): Buffer =>
    Buffer.concat([Buffer.from(input.txid).toReversed(), uint32(input.index)]);
  const input = transaction.inputs[at]!;
  return doubleSha(
    Buffer.concat([
      uint32(transaction.version),
      doubleSha(Buffer.concat(transaction.inputs.map(outpoint))),
      doubleSha(Buffer.concat(transaction.inputs.map(({ sequence }) => uint32(sequence)))),
      outpoint(input),
      Buffer.from('1976a914', 'hex'),
      keyHash,
      Buffer.from('88ac', 'hex'),
      uint64(amount),
      uint32(input.sequence),
      doubleSha(
        Buffer.concat(
          transaction.outputs.map((output) =>
            Buffer.concat([uint64(output.amount), Buffer.from([output.script.length]), output.script]),
          ),
        ),
      ),
      uint32(transaction.lockTime),
      uint32(1),
    ]),
  );
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

describe('BIP-143 signatures', () => {
  it('match the digest of the P2WPKH example', () => {
    const unsigned =
      '0100000002fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000000eeffffff' +
      'ef51e1b804cc89d182d279655c3aa89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff' +
      '02202cb206000000001976a9148280b37df378db99f66f85c95a783a76ac7a6d5988ac' +
      '9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac11000000';
    const keyHash = Buffer.from('1d0f172a0ecb48aee1be1f2687d2963ae33f71a1', 'hex');
    const transaction = RawTx.decode(Buffer.from(unsigned, 'hex'));
    expect(digest(transaction, 1, keyHash, 600_000_000n).toString('hex')).toBe(
      'c37af31116d1b27caf68aae9e3ac82f1477929014d5b917657d0eb49478cb670',
    );
  });

  it.each(['BTC', 'LTC'] as const)('are valid with low S when signSend makes them for %s', async (code) => {
    const keys = new OwnKeys(code, 'live', 'regtest');
    const funds = Array.from({ length: 8 }, (_none, index) => {
      const owned = keys.newAddress();
      return { ...owned, ref: { txid: `${index}${index}`.repeat(32), index }, amount: 10_000n + BigInt(index) };
    });
    const total = funds.reduce((sum, { amount }) => sum + amount, 0n);
    const plan = {
      inputs: funds,
      destination: keys.newAddress().address,
      amount: 20_000n,
      fee: 1_234n,
      change: { address: keys.newAddress().address, amount: total - 20_000n - 1_234n },
      feeRate: 1_000n,
    };
    const signed = await signSend(UTXO_COINS[code], 'regtest', plan, keys);
    const raw = RawTx.decode(Buffer.from(signed.raw, 'hex'));
    expect(raw.inputs.map(({ sequence }) => sequence)).toEqual(funds.map(() => 0xfffffffd));
    for (const [at, input] of raw.inputs.entries()) {
      const fund = funds[input.index]!;
      const publicKey = secp256k1.getPublicKey(keys.privateKey(fund.keyPath), true);
      const [signature, key] = raw.witnesses![at]!;
      expect(Buffer.from(key!)).toEqual(Buffer.from(publicKey));
      expect(signature!.length).toBeLessThanOrEqual(72);
      expect(signature!.at(-1)).toBe(1);
      const keyHash = Buffer.from(scriptOf(fund.address)).subarray(2);
      const message = digest(raw, at, keyHash, fund.amount);
      const verified = secp256k1.verify(signature!.subarray(0, -1), message, publicKey, {
        prehash: false,
        format: 'der',
        lowS: true,
      });
      expect(verified).toBe(true);
    }
  });
});

function scriptOf(address: string): Uint8Array {
  const code = address.startsWith('rltc') ? 'LTC' : 'BTC';
  return addressScript(UTXO_COINS[code], 'regtest', address);
}
