/** Sends to many recipients and from chosen outputs, on real nodes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount } from '../../../src/domain/money.ts';
import { freezeOutputs } from '../../../src/usecases/wallet/freeze-outputs.ts';
import { listOutputs } from '../../../src/usecases/wallet/list-outputs.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { NODE_COINS, type RegtestNode, requireNode, startNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { COIN, PricedNode } from '../../_helpers/priced-node.ts';

/** The most that a send may have. */
const RECIPIENTS = 100;

interface DecodedTx {
  readonly vin: readonly { readonly txid: string; readonly vout: number }[];
  readonly vout: readonly {
    readonly value: string;
    /** Litecoin Core lists `addresses`. */
    readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[] };
  }[];
}

describe.each(NODE_COINS)('a send of %s', (coin) => {
  describe.skipIf(!requireNode(coin))('on a real node', () => {
    let node: RegtestNode;
    let till: PricedNode;

    beforeAll(async () => {
      node = await startNode(coin);
      till = await new PricedNode(coin, node).open();
      await till.fund(COIN, COIN, COIN, COIN);
    });
    afterAll(async () => {
      await till?.close();
      await node?.stop();
    });

    const inMempool = async (txid: string): Promise<DecodedTx> => {
      expect(await node.getMempool()).toEqual([txid]);
      return node.rpc<DecodedTx>('getrawtransaction', [txid, true]);
    };
    const send = async (order: Partial<SendCoinsInput>) => {
      const { merchant, deps } = till.world;
      return sendCoins(deps, { merchant, coin, idempotencyKey: null, ...order });
    };
    const spendable = async () => {
      const { merchant, deps } = till.world;
      const { outputs } = await listOutputs(deps, { merchant, coin, page: 1, limit: 100 });
      return outputs.filter((output) => output.spendable);
    };

    it('pays 100 recipients in one transaction, which is mined and in the books', async () => {
      const outputs: { destination: string; amount: string }[] = [];
      for (let n = 0; n < RECIPIENTS; n += 1) {
        const amount = formatCoinAmount(20_000n + BigInt(n), coin);
        outputs.push({ destination: await node.foreignAddress(), amount });
      }
      const total = outputs.reduce((sum, { amount }) => sum + toAtoms(amount), 0n);
      const { db } = till.world;
      const sent = await send({ outputs });
      const { vout } = await inMempool(sent.txHash ?? '');
      const paid = new Map(
        vout.map(({ value, scriptPubKey }) => [
          scriptPubKey.address ?? scriptPubKey.addresses?.[0],
          toAtoms(value),
        ]),
      );
      expect(outputs.map(({ destination }) => paid.get(destination))).toEqual(
        outputs.map(({ amount }) => toAtoms(amount)),
      );
      expect(vout).toHaveLength(RECIPIENTS + 1);
      await till.mine();
      expect(await till.status(sent.id)).toMatchObject({ status: 'confirmed', txHash: sent.txHash });
      const left = 4n * COIN - total - toAtoms(sent.fee);
      expect(toAtoms(await till.world.balance(coin))).toBe(left);
      await expectBooksToAgree(db);
      const lines = await db
        .selectFrom('movements')
        .select(['address', 'amount'])
        .where('sendId', '=', sent.id)
        .where('kind', '=', 'send')
        .orderBy('seq')
        .execute();
      expect(lines).toEqual(
        outputs.map(({ destination, amount }) => ({ address: destination, amount: `-${toAtoms(amount)}` })),
      );
    });

    it('spends the chosen outputs and no others, and refuses a frozen one', async () => {
      const { deps, merchant, db } = till.world;
      const [first, second, third] = await spendable();
      if (first === undefined || second === undefined || third === undefined) throw new Error('no outputs');
      const asInput = ({ txHash, index }: typeof first) => ({ txHash, index });
      await freezeOutputs(deps, { merchant, coin, outputs: [asInput(third)], frozen: true });
      const order = { destination: await node.foreignAddress(), amount: '0.5' };
      await expect(send({ ...order, inputs: [asInput(first), asInput(third)] })).rejects.toMatchObject({
        code: 'VALIDATION_INVALID',
        details: [{ field: 'inputs.1', code: 'frozen' }],
      });
      const sent = await send({ ...order, inputs: [asInput(first), asInput(second)] });
      const { vin } = await inMempool(sent.txHash ?? '');
      expect(new Set(vin.map(({ txid, vout }) => `${txid}:${vout}`))).toEqual(
        new Set([first, second].map(({ txHash, index }) => `${txHash}:${index}`)),
      );
      await till.mine();
      expect(await till.status(sent.id)).toMatchObject({ status: 'confirmed' });
      const { unspents } = await node.rpc<{ unspents: { amount: string }[] }>('scantxoutset', [
        'start',
        [`addr(${order.destination})`],
      ]);
      expect(unspents.map(({ amount }) => toAtoms(amount))).toEqual([COIN / 2n]);
      await expectBooksToAgree(db);
    });
  });
});
