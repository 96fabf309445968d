import {
  AddressLookupTableAccount,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { deserialize, serialize } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SvmNode, type SvmSnapshot } from '../../_helpers/svm/node.ts';
import { Payer } from '../../_helpers/svm/payer.ts';

const SOL = 1_000_000_000;

const stranger = () => Keypair.generate().publicKey.toBase58();

/** What only our own node can do on demand: the trouble of a real cluster. */
describe('the Solana test node', () => {
  let node: SvmNode;
  let connection: Connection;

  beforeAll(async () => {
    node = await SvmNode.start();
    connection = new Connection(node.url, { commitment: 'confirmed', disableRetryOnRateLimit: true });
  });
  afterAll(async () => {
    await node.stop();
  });

  const balance = async (address: string, commitment: 'processed' | 'confirmed' | 'finalized') =>
    connection.getBalance(new PublicKey(address), commitment);

  it('shows a transfer as processed, one block later as confirmed, 32 blocks later as finalized', async () => {
    const address = stranger();
    node.airdrop(address, BigInt(SOL));
    expect([await balance(address, 'processed'), await balance(address, 'confirmed')]).toEqual([SOL, 0]);
    node.advance();
    expect([await balance(address, 'confirmed'), await balance(address, 'finalized')]).toEqual([SOL, 0]);
    node.advance(30);
    expect(await balance(address, 'finalized')).toBe(0);
    node.advance();
    expect(await balance(address, 'finalized')).toBe(SOL);
  });

  it('has no blocks for skipped slots', async () => {
    const { slot } = node.ledger.top;
    node.skip(2);
    node.advance(40);
    expect(await connection.getBlocks(slot, slot + 4)).toEqual([slot, slot + 3, slot + 4]);
    await expect(connection.getBlock(slot + 1)).rejects.toMatchObject({ code: -32007 });
    const after = await connection.getBlock(slot + 3, { maxSupportedTransactionVersion: 0 });
    expect(after?.parentSlot).toBe(slot);
  });

  it('continues from a snapshot after a restart, with a shorter history', async () => {
    const first = await SvmNode.start({ keptBlocks: 40 });
    const address = stranger();
    const signature = first.airdrop(address, BigInt(SOL));
    first.advance(60);
    const { slot, blockhash } = first.ledger.top;
    await first.stop();
    await using again = await SvmNode.start({
      keptBlocks: 40,
      from: deserialize(serialize(first.snapshot())) as SvmSnapshot,
    });
    const rpc = new Connection(again.url, 'confirmed');
    expect([again.ledger.top.slot, again.ledger.top.blockhash]).toEqual([slot, blockhash]);
    expect(await rpc.getGenesisHash()).toBe(first.ledger.genesisHash);
    expect(await rpc.getFirstAvailableBlock()).toBe(again.ledger.firstSlot);
    expect(again.ledger.firstSlot).toBeGreaterThan(0);
    expect(await rpc.getBalance(new PublicKey(address))).toBe(SOL);
    expect((await rpc.getSignaturesForAddress(new PublicKey(address))).map((each) => each.signature)).toEqual(
      [signature],
    );
    again.airdrop(address, BigInt(SOL));
    again.advance(40);
    expect(await rpc.getBalance(new PublicKey(address), 'finalized')).toBe(2 * SOL);
  });

  it('forks with and without including the transactions again', async () => {
    const [kept, lost] = [stranger(), stranger()];
    const stays = node.airdrop(kept, BigInt(SOL));
    const goes = node.airdrop(lost, BigInt(SOL));
    node.advance(3);
    const before = (await connection.getSignatureStatus(stays)).value?.slot ?? 0;
    node.fork({ depth: 3, drop: [goes] });
    expect([await balance(kept, 'confirmed'), await balance(lost, 'confirmed')]).toEqual([SOL, 0]);
    expect((await connection.getSignatureStatus(stays)).value?.slot).toBeGreaterThan(before);
    expect((await connection.getSignatureStatus(goes)).value).toBeNull();
    expect(await connection.getSignaturesForAddress(new PublicKey(lost))).toEqual([]);
    await expect(connection.getBlock(before)).rejects.toThrow();
  });

  it('drops transactions on demand, accepts them again, and refuses them once they expired', async () => {
    const owner = Keypair.generate();
    node.airdrop(owner.publicKey.toBase58(), BigInt(SOL));
    node.advance();
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('confirmed');
    const build = (to: string) => {
      const transaction = new Transaction({ feePayer: owner.publicKey, blockhash, lastValidBlockHeight });
      transaction.add(
        SystemProgram.transfer({
          fromPubkey: owner.publicKey,
          toPubkey: new PublicKey(to),
          lamports: 10_000_000,
        }),
      );
      transaction.sign(owner);
      return transaction.serialize();
    };
    const [first, second] = [stranger(), stranger()];
    node.dropNext(1);
    await connection.sendRawTransaction(build(first));
    expect(await balance(first, 'processed')).toBe(0);
    const signature = await connection.sendRawTransaction(build(first));
    await expect(connection.sendRawTransaction(build(first))).rejects.toThrow(/already been processed/);
    node.advance(lastValidBlockHeight - node.ledger.top.height);
    await connection.sendRawTransaction(build(second));
    node.advance();
    expect((await connection.isBlockhashValid(blockhash, { commitment: 'processed' })).value).toBe(false);
    await expect(connection.sendRawTransaction(build(stranger()))).rejects.toThrow(/Blockhash not found/);
    expect((await connection.getSignatureStatus(signature)).value?.err).toBeNull();
  });

  it('executes version 0 transactions with lookup tables, whose accounts are listed after the static ones', async () => {
    const owner = Keypair.generate();
    const to = stranger();
    node.airdrop(owner.publicKey.toBase58(), BigInt(SOL));
    const key = new PublicKey(node.putLookupTable([stranger(), to]));
    node.advance();
    const info = await connection.getAccountInfo(key);
    const table = new AddressLookupTableAccount({
      key,
      state: AddressLookupTableAccount.deserialize(info!.data),
    });
    const { blockhash } = await connection.getLatestBlockhash();
    const instruction = SystemProgram.transfer({
      fromPubkey: owner.publicKey,
      toPubkey: new PublicKey(to),
      lamports: SOL / 2,
    });
    const message = new TransactionMessage({
      payerKey: owner.publicKey,
      recentBlockhash: blockhash,
      instructions: [instruction],
    }).compileToV0Message([table]);
    const transaction = new VersionedTransaction(message);
    transaction.sign([owner]);
    const signature = await connection.sendTransaction(transaction);
    node.advance();
    await expect(connection.getTransaction(signature)).rejects.toMatchObject({ code: -32015 });
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found?.meta?.loadedAddresses?.writable.map(String)).toEqual([to]);
    expect(found?.meta?.postBalances.at(message.staticAccountKeys.length)).toBe(SOL / 2);
    const [entry] = await connection.getSignaturesForAddress(new PublicKey(to));
    expect(entry?.signature).toBe(signature);
  });

  it('executes programs, and returns their calls as inner instructions with the moved lamports', async () => {
    const payer = new Payer(node);
    const to = stranger();
    const paid = payer.payByProgram([{ address: to, amount: 70_000_000n }]);
    const failed = payer.failAfterPaying([{ address: to, amount: 30_000_000n }]);
    node.advance();
    const options = { maxSupportedTransactionVersion: 0 };
    const found = await connection.getTransaction(paid, options);
    const keys = found!.transaction.message.getAccountKeys().staticAccountKeys.map(String);
    const [inner, ...others] = found?.meta?.innerInstructions ?? [];
    expect(others).toEqual([]);
    // Behind the compute limit, which is the first instruction.
    expect(inner).toMatchObject({ index: 1, instructions: [{ stackHeight: 2 }] });
    const [call] = inner?.instructions ?? [];
    expect(keys[call!.programIdIndex]).toBe(SystemProgram.programId.toBase58());
    expect(call?.accounts.map((index) => keys[index])).toEqual([payer.address, to]);
    expect(found?.meta?.postBalances[keys.indexOf(to)]).toBe(70_000_000);
    const undone = await connection.getTransaction(failed, options);
    expect(undone?.meta?.err).toEqual({ InstructionError: [2, { Custom: 1 }] });
    expect(await balance(to, 'confirmed')).toBe(70_000_000);
  });

  it('writes balances beyond 2^53 exactly', async () => {
    const address = stranger();
    node.airdrop(address, 9_007_199_254_740_993n);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getBalance',
      params: [address, { commitment: 'processed' }],
    });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(node.url, { method: 'POST', headers, body });
    expect(await response.text()).toContain('"value":9007199254740993');
  });

  it('pages the history from newest to oldest', async () => {
    const address = stranger();
    const sent = [1, 2, 3, 4, 5].map((times) => node.airdrop(address, BigInt(times * SOL)));
    node.advance();
    const key = new PublicKey(address);
    const first = await connection.getSignaturesForAddress(key, { limit: 2 });
    const rest = await connection.getSignaturesForAddress(key, { before: first.at(-1)!.signature });
    const all = [...first, ...rest].map(({ signature }) => signature);
    expect(all).toEqual(sent.toReversed());
    const since = await connection.getSignaturesForAddress(key, { until: sent[3]! });
    expect(since.map(({ signature }) => signature)).toEqual([sent[4]]);
  });

  it('answers 429, drops connections and delays responses on demand, and recovers after an outage', async () => {
    const limited = node.inject({ kind: 'rateLimit' }, { methods: ['getSlot'], times: 1 });
    await expect(connection.getSlot()).rejects.toThrow(/429/);
    await connection.getSlot();
    expect(limited.hits).toBe(1);
    const cut = node.inject({ kind: 'cut' });
    await expect(connection.getSlot()).rejects.toThrow(/fetch failed/);
    cut.clear();
    const slow = node.inject({ kind: 'delay', ms: 80 });
    const before = Date.now();
    await connection.getSlot();
    expect(Date.now() - before).toBeGreaterThanOrEqual(75);
    slow.clear();
    const slot = await connection.getSlot();
    await node.down();
    await expect(connection.getSlot()).rejects.toThrow(/fetch failed/);
    await node.up();
    expect(await connection.getSlot()).toBe(slot);
  });
});
