import { describe, expect, it } from 'vitest';
import { accountKey, validateAddress } from '../../../src/chains/ethereum/address.ts';
import { eip681Uri } from '../../../src/chains/ethereum/payment-uri.ts';
import { planSend } from '../../../src/chains/ethereum/sends/plan-send.ts';
import { signSend } from '../../../src/chains/ethereum/sends/sign-send.ts';
import { ethereumAddress } from '../../../src/wallet/addresses.ts';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { Transaction } from 'ethers';

describe('validateAddress by EIP-55', () => {
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('accepts the address %s, in lower case as well', (address) => {
    expect(validateAddress(address)).toBeNull();
    expect(validateAddress(address.toLowerCase())).toBeNull();
    expect(accountKey(address)).toBe(address.toLowerCase());
  });

  it('rejects one letter in the wrong case', () => {
    expect(validateAddress('0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toContain('checksum');
  });
});

describe('eip681Uri', () => {
  it('contains address, chain and wei, never an exponent or a decimal', () => {
    const address = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
    expect(eip681Uri({ address, amount: 2_014_000_000_000_000_000n, chainId: 1 })).toBe(
      'ethereum:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359@1?value=2014000000000000000',
    );
  });
});

describe("the Ethereum derivation path m/44'/60'/0'/0 (BIP-44)", () => {
  // The mnemonic of anvil and hardhat and the accounts that both print.
  const wallet = HDKey.fromMasterSeed(
    mnemonicToSeedSync('test test test test test test test test test test test junk'),
  ).derive("m/44'/60'/0'/0");
  it.each([
    [0, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
    [1, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    [2, '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'],
  ])('derives account %i as %s', (index, address) => {
    const { privateKey } = wallet.deriveChild(index);
    expect(ethereumAddress(secp256k1.getPublicKey(privateKey!, false))).toBe(address);
  });
});

describe('signSend by EIP-1559', () => {
  const keyPath = { coin: 'ETH', mode: 'live', account: 0, branch: 0, index: 0 } as const;
  const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  const keys = {
    privateKey: () => Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex'),
  };

  it('creates a type 2 transaction whose priority fee is its whole fee', async () => {
    const plan = planSend({
      funds: [{ ref: { txid: 'a', index: 0 }, amount: 10n ** 18n, address, keyPath }],
      destination: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
      amount: 10n ** 17n,
      subtractFee: false,
      changeAddress: address,
      quote: {
        rate: 20_000_000_000_000n,
        source: 'node',
        at: 0,
        account: { chainId: 1, nonce: 7, gasLimit: 21_000n },
      },
    });
    const signed = await signSend(plan, keys);
    const sent = Transaction.from(signed.raw);
    expect(sent.hash).toBe(signed.txid);
    expect(sent).toMatchObject({
      type: 2,
      chainId: 1n,
      nonce: 7,
      gasLimit: 21_000n,
      from: address,
      to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      value: 10n ** 17n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 20_000_000_000n,
      data: '0x',
    });
    expect(plan.fee).toBe(420_000_000_000_000n);
  });
});
