import { HDKey } from '@scure/bip32';
import { UTXO_COINS, type Network, type UtxoCoinCode } from '../domain/coins.ts';
import { accountPath } from './derivation.ts';
import { descriptorChecksum } from './descriptor-checksum.ts';
import type { Keyring } from './keyring.ts';

/** BIP-32 version bytes of Bitcoin, which Bitcoin Core and Litecoin Core share: xprv and xpub, tprv and tpub. */
const MAINNET_VERSIONS = { private: 0x04_88_ad_e4, public: 0x04_88_b2_1e };
const TEST_VERSIONS = { private: 0x04_35_83_94, public: 0x04_35_87_cf };

/** Output descriptors (BIP-380) of the receiving and the change addresses of one account. */
export interface AccountDescriptors {
  readonly receive: string;
  readonly change: string;
}

/**
 * Describes all addresses of a shop's account, with key origin and checksum, for another wallet.
 * @param options.withPrivateKeys the descriptors contain the account's private key and can spend: treat them like the
 * words
 */
export function accountDescriptors(options: {
  keyring: Keyring;
  coin: UtxoCoinCode;
  network: Network;
  account: number;
  withPrivateKeys: boolean;
}): AccountDescriptors {
  const { keyring, coin, network, account, withPrivateKeys } = options;
  const definition = UTXO_COINS[coin];
  const path = accountPath(definition, network, account);
  const versions = network === 'mainnet' ? MAINNET_VERSIONS : TEST_VERSIONS;
  const { key, fingerprint } = keyring.withSeed((seed) => {
    const master = HDKey.fromMasterSeed(seed, versions);
    const node = master.derive(path);
    const extended = withPrivateKeys ? node.privateExtendedKey : node.publicExtendedKey;
    return { key: extended, fingerprint: master.fingerprint.toString(16).padStart(8, '0') };
  });
  const origin = `${fingerprint}${path.slice('m'.length).replaceAll("'", 'h')}`;
  const script = definition.scriptType === 'p2wpkh' ? 'wpkh' : 'pkh';
  const describeBranch = (branch: 0 | 1): string => {
    const descriptor = `${script}([${origin}]${key}/${branch}/*)`;
    return `${descriptor}#${descriptorChecksum(descriptor)}`;
  };
  return { receive: describeBranch(0), change: describeBranch(1) };
}
