/** The valid and invalid PSBTs of BIP-174, BIP-370 and BIP-371 (BSD-2-Clause), as submissions for a send. */
import { readFileSync } from 'node:fs';
import { HDKey } from '@scure/bip32';
import { describe, expect, it } from 'vitest';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { descriptorChecksum } from '../../../src/wallet/descriptor-checksum.ts';
import { readWatchAccount } from '../../../src/wallet/watch-account.ts';

interface Vector {
  readonly bip: string;
  readonly isValid: boolean;
  readonly name: string;
  readonly psbt: string;
}

const vectors = JSON.parse(readFileSync(new URL('psbt.json', import.meta.url), 'utf8')) as Vector[];
const VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };
const xpub = HDKey.fromMasterSeed(Buffer.alloc(32, 1), VERSIONS).derive("m/84'/1'/0'").publicExtendedKey;
const body = `wpkh(${xpub}/<0;1>/*)`;

function openSend() {
  const keys = readWatchAccount(UTXO_COINS.BTC, 'testnet', `${body}#${descriptorChecksum(body)}`);
  if ('problem' in keys || keys.psbts === null) throw new Error('no PSBTs');
  const { psbts } = keys;
  const input = { ref: { txid: 'aa'.repeat(32), index: 0 }, amount: 1_000n, branch: 0, index: 0 } as const;
  const output = { address: 'payee', script: `0014${'77'.repeat(20)}`, amount: 500n, changeIndex: null };
  return { psbts, ...psbts.build({ inputs: [input], outputs: [output] }) };
}

describe('readSignatures', () => {
  const { psbts, psbt } = openSend();

  it.each(vectors.filter(({ isValid }) => isValid))(
    'reads a valid PSBT of $bip, of another transaction: $name',
    ({ psbt: submitted }) => {
      expect(() => psbts.readSignatures(psbt, submitted)).toThrow('is of another transaction');
    },
  );

  it.each(vectors.filter(({ isValid }) => !isValid))(
    'refuses an invalid PSBT of $bip: $name',
    ({ psbt: submitted }) => {
      expect(() => psbts.readSignatures(psbt, submitted)).toThrow('is not a valid PSBT');
    },
  );
});
