/** Careless and hostile signers of sends from watched accounts, with a real bitcoind. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Transaction } from '@scure/btc-signer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { type LiveWorld, openLiveWorld } from '../../_helpers/live-world.ts';
import { type RegtestNode, requireNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { newPerson } from '../../_helpers/people.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { Till } from '../../_helpers/till.ts';
import { fundAccount, NodeAccount } from './node-account.ts';

const AMOUNT = '0.0004';

interface PsbtSend {
  readonly id: string;
  readonly status: string;
  readonly psbt: string | null;
  readonly txHash: string | null;
  readonly error: string | null;
}

const open = (psbt: string): Transaction => Transaction.fromPSBT(Buffer.from(psbt, 'base64'));
const write = (transaction: Transaction): string => Buffer.from(transaction.toPSBT(0)).toString('base64');

/** One transaction with the inputs and outputs of several PSBTs, at a higher fee. @param bumpedBy from the largest output, atoms */
function joined(psbts: readonly string[], bumpedBy: bigint): string {
  const made = new Transaction({ version: 2, lockTime: 0 });
  const given = psbts.map(open);
  const outputs = given.flatMap((each) =>
    Array.from({ length: each.outputsLength }, (_, at) => each.getOutput(at)),
  );
  const largest = outputs.reduce((a, b) => ((b.amount ?? 0n) > (a.amount ?? 0n) ? b : a));
  for (const each of given)
    for (let at = 0; at < each.inputsLength; at += 1) {
      const { nonWitnessUtxo: _, ...input } = each.getInput(at);
      made.addInput(input);
    }
  for (const { script, amount = 0n } of outputs)
    made.addOutput({ script, amount: script === largest.script ? amount - bumpedBy : amount });
  return write(made);
}

function finished(account: NodeAccount, psbt: string): Transaction {
  const transaction = open(account.sign(psbt));
  transaction.finalize();
  return transaction;
}

describe.skipIf(!requireNode('BTC'))('a signer of sends from a watched account', () => {
  let world: LiveWorld<RegtestNode, Till>;
  beforeAll(async () => {
    world = await openLiveWorld('BTC');
  });
  afterAll(async () => world?.end());

  async function openAccount(amounts: readonly bigint[]) {
    const owner = await newPerson(world.till.api, 'owner');
    const shop = await Shop.open(world.till.api, { owner: owner.token, webhookUrl: world.sink.url });
    const account = new NodeAccount();
    await fundAccount(account, { owner, shop, node: world.node }, amounts);
    const { secretKey: token } = shop;
    const order = async (destination: string, key = destination) =>
      world.till.api.call<PsbtSend>('POST', '/merchant/wallet/send', {
        token,
        body: { coin: 'BTC', destination, amount: AMOUNT },
        headers: { 'idempotency-key': key },
      });
    const submit = async (sendId: string, psbt: string) =>
      world.till.api.call<PsbtSend>('POST', '/merchant/wallet/psbt/submit', {
        token,
        body: { sendId, psbt },
      });
    const cancel = async (sendId: string) =>
      world.till.api.call<PsbtSend>('POST', '/merchant/wallet/send/cancel', { token, body: { sendId } });
    const status = async (sendId: string) =>
      world.till.api.must<PsbtSend>('GET', `/merchant/wallet/send-status?sendId=${sendId}`, { token });
    const waitFor = async (sendId: string, wanted: string) =>
      eventually(
        `${sendId} is ${wanted}`,
        async () => status(sendId),
        (now) => now.status === wanted,
      );
    return { account, order, submit, cancel, status, waitFor };
  }

  const broadcast = async ({ hex }: Transaction): Promise<string> =>
    world.node.rpc<string>('sendrawtransaction', [hex]);
  async function paid(destination: string): Promise<bigint[]> {
    const { unspents } = await world.node.rpc<{ unspents: { amount: string }[] }>('scantxoutset', [
      'start',
      [`addr(${destination})`],
    ]);
    return unspents.map(({ amount }) => toAtoms(amount));
  }

  it('who replaced the transaction before submitting it neither fails the send nor has it paid twice', async () => {
    const { account, order, submit, status, waitFor } = await openAccount([100_000n, 90_000n]);
    const destination = await world.node.foreignAddress();
    const { id, psbt } = (await order(destination)).body.data;
    const bumped = finished(account, joined([psbt ?? ''], 5_000n));
    await broadcast(bumped);
    const submitted = await submit(id, account.sign(psbt ?? ''));
    expect(submitted.body.data).toMatchObject({ status: 'signed', error: null });
    expect((await order(destination)).body.data.id).toBe(id);
    await world.node.mine(1);
    expect((await waitFor(id, 'confirmed')).txHash).toBe(bumped.id);
    // A reorg exchanges it for the transaction that was submitted.
    await world.node.rpc('invalidateblock', [await world.node.rpc('getbestblockhash')]);
    await world.node.mineOnly([finished(account, psbt ?? '').hex]);
    await world.node.mineEmpty(2);
    const own = finished(account, psbt ?? '').id;
    await eventually(
      'the submitted transaction confirms it',
      async () => status(id),
      ({ status: now, txHash }) => now === 'confirmed' && txHash === own,
    );
    expect(await paid(destination)).toEqual([toAtoms(AMOUNT)]);
  });

  it('who joined two PSBTs confirms one send, and the other names the transaction', async () => {
    const { account, order, submit, status, waitFor } = await openAccount([100_000n, 90_000n]);
    const [first, second] = [await world.node.foreignAddress(), await world.node.foreignAddress()];
    const [one, two] = [(await order(first)).body.data, (await order(second)).body.data];
    const both = joined([one.psbt ?? '', two.psbt ?? ''], 5_000n);
    const refused = await submit(one.id, account.sign(both));
    expect(refused.body.error).toMatchObject({ code: 'VALIDATION_INVALID' });
    const { id: txid } = finished(account, both);
    await broadcast(finished(account, both));
    await world.node.mine(1);
    const ended = await eventually(
      'both ended',
      async () => Promise.all([status(one.id), status(two.id)]),
      (sends) => sends.every((send) => ['confirmed', 'failed'].includes(send.status)),
    );
    expect(ended.map((send) => send.status).toSorted()).toEqual(['confirmed', 'failed']);
    const failed = ended.find((send) => send.status === 'failed');
    expect(failed?.error).toContain(`${txid} pays a recipient of it`);
    await waitFor(ended.find((send) => send.status === 'confirmed')?.id ?? '', 'confirmed');
    const repeated = await order(failed?.id === one.id ? first : second);
    expect(repeated.body.data.id).toBe(failed?.id);
  });

  it('whose cancelled transaction is mined, and dropped by a reorg, keeps its output for it', async () => {
    const { account, order, cancel, waitFor } = await openAccount([100_000n]);
    const [first, second, third] = [
      await world.node.foreignAddress(),
      await world.node.foreignAddress(),
      await world.node.foreignAddress(),
    ];
    const one = (await order(first)).body.data;
    await cancel(one.id);
    const two = (await order(second)).body.data;
    const { hex } = finished(account, one.psbt ?? '');
    await world.node.mineOnly([hex]);
    await waitFor(one.id, 'confirmed');
    await waitFor(two.id, 'failed');
    await world.node.rpc('invalidateblock', [await world.node.rpc('getbestblockhash')]);
    await world.node.restart({ dropMempool: true });
    await world.node.mineEmpty(3);
    await waitFor(one.id, 'broadcast');
    expect((await order(third)).body.error?.code).toBe('INSUFFICIENT_BALANCE');
    await world.node.mineOnly([hex]);
    await waitFor(one.id, 'confirmed');
    expect(await paid(first)).toEqual([toAtoms(AMOUNT)]);
    expect(await paid(second)).toEqual([]);
  });

  it('who malleates its signature is refused, and the valid one is not', async () => {
    const { account, order, submit } = await openAccount([100_000n]);
    const { id, psbt } = (await order(await world.node.foreignAddress())).body.data;
    const signed = account.sign(psbt ?? '');
    const copy = open(signed);
    const [[publicKey, signature]] = copy.getInput(0).partialSig as [[Uint8Array, Uint8Array]];
    const { r, s } = secp256k1.Signature.fromBytes(signature.subarray(0, -1), 'der');
    const high = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toBytes('der');
    copy.updateInput(0, { partialSig: undefined }, true);
    copy.updateInput(0, { partialSig: [[publicKey, Buffer.concat([high, Buffer.of(1)])]] }, true);
    expect((await submit(id, write(copy))).body.error).toMatchObject({ code: 'VALIDATION_INVALID' });
    expect((await submit(id, signed)).body.data).toMatchObject({ status: 'broadcast' });
  });
});
