/**
 * A coin of the Bitcoin family is its definition: with one more entry in the registry and nothing else, the whole
 * daemon takes it, on the simulated chain and on a node.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { p2pkh, Transaction } from '@scure/btc-signer';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addressScript, parseAddress } from '../../src/chains/utxo/address.ts';
import { COINS, type Coin } from '../../src/domain/coins.ts';
import { createWallet } from '../../src/wallet/derivation.ts';
import { Keyring } from '../../src/wallet/keyring.ts';
import { Shop } from '../_helpers/api-client.ts';
import { DOGECOIN } from '../_helpers/dogecoin.ts';
import { FakeUtxoNode } from '../_helpers/fake-utxo-node.ts';
import { toAtoms } from '../_helpers/nodes/index.ts';
import { eventually } from '../_helpers/poll.ts';
import { Till } from '../_helpers/till.ts';
import { doubleSha, encodeTransaction } from '../unit/chains/utxo/raw-chain.ts';
import { genesisBlock } from '../vectors/utxo/genesis.ts';

vi.mock('../../src/domain/coins/registry.ts', async (original) => {
  const { DOGECOIN: added } = await import('../_helpers/dogecoin.ts');
  const { REGISTRY } = await original<typeof import('../../src/domain/coins/registry.ts')>();
  return { REGISTRY: { ...REGISTRY, DOGE: added } };
});

const DOGE = 'DOGE' as Coin;
const RECIPE = {
  message: 'Nintondo',
  key: '040184710fa689ad5023690c80f3a49c8f13f8d45b8c857fbcbc8bc4a8e4d3eb4b10f4d4604fa08dce601aaf0f470216fe1b51850b4acf21b179c45070ac7b03a9',
  reward: 8_800_000_000n,
};
const TILLD_RATES = 'fixed:BTC=100000,ETH=4000,LTC=100,SOL=200,DOGE=0.25';
const REGTEST_TIME = 1_296_688_602;

describe('the definition of a new UTXO coin', () => {
  it.each([
    ['mainnet', { ...RECIPE, time: 1_386_325_540, nonce: 99_943, bits: 0x1e0ffff0 }],
    ['regtest', { ...RECIPE, time: REGTEST_TIME, nonce: 2, bits: 0x207fffff }],
  ] as const)('contains the genesis block of %s', (network, recipe) => {
    expect(genesisBlock(recipe).hash).toBe(DOGECOIN.networks[network].identities[0]?.genesisHash);
  });

  it('produces addresses of its script type that the address parser accepts', async () => {
    const keyring = await Keyring.fromEntropy(Buffer.alloc(32));
    const wallet = createWallet({ keyring, liveNetwork: 'mainnet' });
    const path = { coin: DOGE, mode: 'live', account: 7, branch: 1, index: 5 } as const;
    const node = keyring.withSeed((seed) => HDKey.fromMasterSeed(seed).derive("m/44'/3'/7'/1/5"));
    const expected = p2pkh(node.publicKey!, { bech32: '', pubKeyHash: 0x1e, scriptHash: 0x16, wif: 0x9e });
    expect(wallet.address(path)).toBe(expected.address);
    expect(wallet.address(path)).toMatch(/^D/);
    expect(addressScript(DOGECOIN, 'mainnet', wallet.address(path))).toEqual(Buffer.from(expected.script));
    const bitcoin = wallet.address({ ...path, coin: 'BTC' });
    expect(parseAddress(DOGECOIN, 'mainnet', bitcoin)).toEqual({
      problem: 'is a Bitcoin mainnet address, not a Dogecoin mainnet one',
    });
  });
});

describe('a daemon with one additional UTXO coin', () => {
  let node: FakeUtxoNode;
  let till: Till;
  let shop: Shop;

  beforeAll(async () => {
    const genesis = genesisBlock({ ...RECIPE, time: REGTEST_TIME, nonce: 2, bits: 0x207fffff });
    node = await FakeUtxoNode.start({ ...genesis, time: REGTEST_TIME }, '/Shibetoshi:1.14.9/');
    node.mine();
    till = await Till.start({
      TILLD_NETWORK: 'regtest',
      TILLD_DOGE_RPC_URL: node.rpcUrl,
      TILLD_CONFIRMATIONS_DOGE: '2',
      TILLD_RATES,
    });
    shop = await Shop.open(till.api);
    await till.ready();
  });

  afterAll(async () => {
    await till.end();
    await node.close();
  });

  const readPayment = async (id: string) => shop.payment(id);
  const completed = async (id: string) =>
    eventually(
      'the payment is completed',
      () => readPayment(id),
      ({ status }) => status === 'completed',
    );

  it('lists the coin in the API', async () => {
    expect(COINS).toEqual(['BTC', 'ETH', 'LTC', 'SOL', 'DOGE']);
    expect(Object.keys(shop.wallets)).toContain('DOGE');
  });

  it('accepts payments in the coin on the simulated chain', async () => {
    await using sandbox = await Till.start({ TILLD_RATES });
    await sandbox.ready();
    const trial = await Shop.open(sandbox.api);
    const payment = await trial.createPayment({ allowedCryptos: ['DOGE'] });
    await sandbox.api.must('POST', '/sandbox/payment/simulate', {
      token: trial.secretKey,
      body: { paymentId: payment.id, scenario: 'exact', coin: 'DOGE' },
    });
    await eventually(
      'the simulated payment is completed',
      () => trial.payment(payment.id),
      ({ status }) => status === 'completed',
    );
    const { address } = payment.options[DOGE];
    expect(parseAddress(DOGECOIN, 'testnet', address)).toHaveProperty('script');
  });

  it('accepts and sends the coin on a real node', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['DOGE'] });
    const option = payment.options[DOGE];
    expect(option).toMatchObject({ amount: '400', requiredConfirmations: 2 });
    expect(option.uri).toMatch(`dogecoin:${option.address}?amount=400`);
    const script = addressScript(DOGECOIN, 'regtest', option.address);
    node.pay(script, toAtoms(option.amount));
    await eventually(
      'the payment is seen unconfirmed',
      () => readPayment(payment.id),
      ({ status }) => status === 'confirming',
    );
    node.mine(1);
    await completed(payment.id);
    expect(await shop.balance(DOGE)).toBe('400');

    const destination = 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn';
    const answer = await shop.send({ coin: 'DOGE', destination, amount: '150' });
    expect(answer.status).toBe(200);
    expect(node.received).toHaveLength(1);
    const sent = Transaction.fromRaw(Buffer.from(node.received[0]!, 'hex'), { allowUnknownOutputs: true });
    expect(sent.hasWitnesses).toBe(false);
    const outputs = [0, 1].map((index) => sent.getOutput(index));
    const paid = outputs.find(({ amount }) => amount === 15_000_000_000n);
    expect(Buffer.from(paid!.script!)).toEqual(addressScript(DOGECOIN, 'regtest', destination));
    const total = outputs.reduce((sum, { amount }) => sum + amount!, 0n);
    // 0.001 a kilobyte, what the node relays at least: two outputs of 34 bytes, one input of 148, and 10 more.
    expect(40_000_000_000n - total).toBe(22_600n);
    expect(isSignedBy(sent, script)).toBe(true);

    node.mine();
    await eventually(
      'the send is confirmed',
      () =>
        shop.api.must<{ status: string }>(
          'GET',
          `/merchant/wallet/send-status?sendId=${answer.body.data.id}`,
          {
            token: shop.secretKey,
          },
        ),
      ({ status }) => status === 'confirmed',
    );
  });
});

/** Whether the one input spends this script with a signature over this transaction, as it was before segwit. */
function isSignedBy(sent: Transaction, script: Buffer): boolean {
  const { txid, index, finalScriptSig } = sent.getInput(0);
  const scriptSig = Buffer.from(finalScriptSig!);
  const signature = scriptSig.subarray(1, scriptSig[0]);
  const key = scriptSig.subarray(scriptSig[0]! + 2);
  expect(Buffer.from(p2pkh(key).script)).toEqual(script);
  const outputs = [0, 1].map((at) => sent.getOutput(at));
  const signed = encodeTransaction({
    inputs: [{ txid: Buffer.from(txid!).toString('hex'), index: index!, script }],
    outputs: outputs.map(({ amount, script: pays }) => ({ amount: amount!, script: pays! })),
  });
  const digest = doubleSha(Buffer.concat([signed, Buffer.from('01000000', 'hex')]));
  return secp256k1.verify(signature, digest, key, { prehash: false, format: 'der' });
}
