import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { ChainAdapter, TransactionFate, StoredTransaction } from '../../../src/domain/chain.ts';
import { OwnKeys } from '../../conformance/own-keys.ts';
import { OpenIndex } from '../../_helpers/svm/open-index.ts';
import { makeHole } from '../../_helpers/svm/hole.ts';
import { SvmNode, type SvmSnapshot } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { EXPIRY } from '../../_helpers/svm/world.ts';

const LAMPORTS = 1_000_000_000n;

/** Only with this proof a send is signed again or reported as failed. */
describe('the proof that an expired Solana transaction can never be executed', () => {
  const keys = new OwnKeys('SOL', 'live', 'regtest');
  const nodes: SvmNode[] = [];
  const adapters: ChainAdapter[] = [];
  let node: SvmNode;
  let before: SvmSnapshot;
  let adapter: ChainAdapter;
  let signed: StoredTransaction;
  let errors: object[] = [];
  let movedMs = 0;
  let wallet: { readonly index: OpenIndex; readonly own: string };

  function adapterOn({ url }: SvmNode): ChainAdapter {
    const { index } = wallet;
    const clock = { now: () => Date.now() + movedMs };
    const logger = {
      debug() {},
      info() {},
      warn() {},
      error: (fields: object, message: string) => void errors.push({ ...fields, message }),
    };
    const made = createSolanaAdapter({ network: 'regtest', rpcUrl: url, index, clock, logger });
    adapters.push(made);
    return made;
  }

  beforeEach(async () => {
    errors = [];
    movedMs = 0;
    node = await SvmNode.start();
    nodes.push(node);
    const own = keys.newAddress();
    wallet = { index: new OpenIndex([own.address]), own: own.address };
    node.airdrop(own.address, LAMPORTS);
    node.advance(40);
    before = node.snapshot();
    node.advance(2);
    adapter = adapterOn(node);
    const plan = adapter.planSend({
      funds: [{ ref: { txid: 'any', index: 0 }, amount: LAMPORTS, ...own }],
      destination: strangerAddress(),
      amount: LAMPORTS,
      subtractFee: true,
      changeAddress: own.address,
      quote: await adapter.feeQuote(),
    });
    signed = { ...(await adapter.signSend(plan, keys)), lifetime: plan.lifetime };
  });
  afterEach(async () => {
    for (const made of adapters.splice(0)) await made.close();
    for (const made of nodes.splice(0)) await made.stop();
  });

  const fate = async (asked = adapter): Promise<TransactionFate | undefined> =>
    (await asked.recheck([signed])).get(signed.txid);
  const says = (method: string, answer: unknown) =>
    node.inject({ kind: 'rewrite', rewrite: () => answer }, { methods: [method] });

  it('succeeds when the cluster stood still for thousands of slots, and fails when one block among them is missing', async () => {
    node.dropNext(1_000);
    const { slot } = node.ledger.top;
    for (let made = 0; made < 190; made += 1) {
      node.skip(100);
      node.advance();
    }
    const hole = makeHole(node, slot + 6_000, slot + 6_500);
    expect(await fate()).toBe('unknown');
    hole.clear();
    expect(await fate()).toBe('gone');
  });

  it('succeeds once the last valid block height is finalized, and not a block earlier', async () => {
    node.dropNext(1_000);
    const { lifetime } = signed;
    while (node.ledger.tip('finalized').height < (lifetime?.lastValidHeight ?? 0)) node.advance();
    expect(await fate()).toBe('unknown');
    node.advance();
    expect(await fate()).toBe('gone');
    expect(await adapter.broadcast(signed)).toMatchObject({ kind: 'rejected', isExpired: true });
  });

  it('fails on a node that lags behind, because it knows neither a new blockhash nor an old one', async () => {
    const behind = await SvmNode.start({ from: before });
    nodes.push(behind);
    const asked = adapterOn(behind);
    expect(await fate(asked)).toBe('unknown');
    expect((await asked.broadcast(signed)).kind).toBe('unknown');
  });

  it('fails on a node whose history begins after the transaction may have been executed', async () => {
    expect(await adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    node.advance(EXPIRY);
    // Restarted from a snapshot, it no longer has earlier transactions.
    const slot = node.ledger.top.slot;
    const forgotten = says('getSignatureStatuses', { context: { slot }, value: [null] });
    const first = says('getFirstAvailableBlock', (signed.lifetime?.slot ?? 0) + 1);
    expect(await fate()).toBe('unknown');
    forgotten.clear();
    first.clear();
    expect(await fate()).toBe('present');
  });

  it('causes one log line, a warning and an alarm when a node lacks the history, until a node with the history provides it', async () => {
    node.dropNext(1_000);
    node.advance(EXPIRY);
    expect((await adapter.status()).alarms).not.toContain('pruned');
    const slot = signed.lifetime?.slot ?? 0;
    const first = says('getFirstAvailableBlock', slot + 1);
    for (let time = 0; time < 3; time += 1) {
      expect(await adapter.broadcast(signed)).toEqual({
        kind: 'unknown',
        isLasting: true,
        reason: expect.stringContaining(`history begins at slot ${slot + 1}`),
      });
      expect(await fate()).toBe('unknown');
    }
    expect(errors).toMatchObject([{ coin: 'SOL', txid: signed.txid, slot, first: slot + 1 }]);
    const { alarms, warnings } = await adapter.status();
    expect(alarms).toContain('pruned');
    expect(warnings).toContain(`the blocks from slot ${slot} on`);
    first.clear();
    expect(await fate()).toBe('gone');
    expect((await adapter.status()).alarms).not.toContain('pruned');
  });

  it('fails on a node that lacks some of the blocks in which the transaction may have been executed', async () => {
    expect(await adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    const landedIn = node.ledger.top.slot;
    node.advance(EXPIRY);
    const hole = makeHole(node, landedIn, landedIn);
    expect(await fate()).toBe('unknown');
    expect(await adapter.broadcast(signed)).toMatchObject({ kind: 'unknown', isLasting: true });
    expect((await adapter.status()).alarms).toContain('pruned');
    expect(errors).toMatchObject([{ coin: 'SOL', txid: signed.txid, kind: 'gap' }]);
    hole.clear();
    expect(await fate()).toBe('present');
    expect((await adapter.status()).alarms).not.toContain('pruned');
  });

  it('succeeds although leaders skipped their slots', async () => {
    node.dropNext(1_000);
    for (let block = 0; block < EXPIRY; block += 1) node.skip(block % 5 === 0 ? 3 : 0);
    expect(await fate()).toBe('gone');
  });

  it('fails while the balance of a source account is below that in the ledger', async () => {
    const { index, own } = wallet;
    index.record([
      { ref: { txid: 'any', index: 0 }, watchKey: own, amount: LAMPORTS, maturity: 1, raw: null },
    ]);
    expect(await adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    node.advance(EXPIRY);
    const slot = node.ledger.top.slot;
    // Nothing shows that it landed, but for the balance.
    const forgotten = says('getSignatureStatuses', { context: { slot }, value: [null] });
    expect(await fate()).toBe('unknown');
    expect(errors).toMatchObject([
      { txid: signed.txid, kind: 'moved', account: own, holds: '0', ledger: String(LAMPORTS) },
    ]);
    forgotten.clear();
    expect(await fate()).toBe('present');
  });

  it('fails when the balance comes from a backend that lags behind', async () => {
    const { index, own } = wallet;
    index.record([
      { ref: { txid: 'any', index: 0 }, watchKey: own, amount: LAMPORTS, maturity: 1, raw: null },
    ]);
    expect(await adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
    node.advance(EXPIRY);
    const { slot } = node.ledger.top;
    await adapter.tip();
    const forgotten = says('getSignatureStatuses', { context: { slot }, value: [null] });
    // It looks away from the slot that it is asked for, and shows what there was before the send.
    const stale = says('getMultipleAccounts', {
      context: { slot: signed.lifetime?.slot },
      value: [{ lamports: Number(LAMPORTS) }],
    });
    expect(await fate()).toBe('unknown');
    forgotten.clear();
    stale.clear();
    expect(await fate()).toBe('present');
  });

  describe('for the transaction of a payer', () => {
    const AMOUNT = 5_000_000n;
    let paid: StoredTransaction;

    function pay(to: SvmNode): void {
      const txid = new Payer(to).pay([{ address: wallet.own, amount: AMOUNT }]);
      to.advance(2);
      const raw = Buffer.from(to.ledger.transaction(txid)?.wire.bytes ?? []).toString('base64');
      paid = { txid, raw };
      const ref = { txid, index: 1 };
      wallet.index.unsettled = async () => [{ ref, watchKey: wallet.own, amount: AMOUNT, maturity: 1, raw }];
    }
    const fateOf = async (asked: ChainAdapter): Promise<TransactionFate | undefined> =>
      (await asked.recheck([paid])).get(paid.txid);

    beforeEach(() => {
      const { index, own } = wallet;
      const ref = { txid: 'any', index: 0 };
      index.record([{ ref, watchKey: own, amount: LAMPORTS, maturity: 1, raw: null }]);
    });

    it('fails while the destination account has the money', async () => {
      pay(node);
      node.advance(EXPIRY);
      // A hole in the history: nothing shows that it landed, but for the balance.
      const forgotten = says('getSignatureStatuses', { context: node.ledger.top, value: [null] });
      expect(await fateOf(adapter)).toBe('unknown');
      forgotten.clear();
      expect(await fateOf(adapter)).toBe('present');
    });

    it('succeeds once a fork dropped it, its blockhash expired and the account has its earlier balance', async () => {
      pay(node);
      node.fork({ depth: 3, drop: [paid.txid] });
      node.dropNext(1_000);
      expect(await fateOf(adapter)).not.toBe('gone');
      node.advance(EXPIRY);
      expect(await fateOf(adapter)).toBe('gone');
    });

    it('fails on a backend that has not reached the slot in which another backend had it', async () => {
      // Votes come late: the newest blocks lie above the tip.
      const ahead = await SvmNode.start({ finalizedLag: 60 });
      nodes.push(ahead);
      ahead.airdrop(wallet.own, LAMPORTS);
      ahead.advance(70);
      pay(ahead);
      const asked = adapterOn(ahead);
      const seen = await asked.unconfirmed();
      expect(seen.has(paid.txid)).toBe(true);
      const context = { slot: seen.tip.height };
      const answers: Readonly<Record<string, unknown>> = {
        isBlockhashValid: false,
        getSignatureStatuses: [null],
        getMultipleAccounts: [{ lamports: Number(LAMPORTS) }],
      };
      const behind = Object.entries(answers).map(([method, value]) =>
        ahead.inject({ kind: 'rewrite', rewrite: () => ({ context, value }) }, { methods: [method] }),
      );
      expect(await fateOf(asked)).toBe('unknown');
      for (const fault of behind) fault.clear();
      expect(await fateOf(asked)).toBe('present');
    });
  });

  it('ends its warning once it is no longer needed', async () => {
    node.dropNext(1_000);
    node.advance(EXPIRY);
    says('getFirstAvailableBlock', (signed.lifetime?.slot ?? 0) + 1);
    expect(await fate()).toBe('unknown');
    expect((await adapter.status()).alarms).toContain('pruned');
    movedMs = 2 * 3_600_000;
    expect((await adapter.status()).alarms).not.toContain('pruned');
  });

  it('fails on a backend with less history than another backend has returned', async () => {
    node.dropNext(1_000);
    node.advance(EXPIRY);
    const { slot } = node.ledger.tip('finalized');
    for (const [method, value] of [
      ['getSignatureStatuses', [null]],
      ['isBlockhashValid', false],
    ] as const) {
      await adapter.tip();
      const stale = says(method, { context: { slot: slot - 1 }, value });
      expect(await fate()).toBe('unknown');
      stale.clear();
    }
    expect(await fate()).toBe('gone');
  });

  it('queries one node only, because another must not reject what the first accepted before the connection broke', async () => {
    const cut = node.inject({ kind: 'cut', after: true }, { methods: ['sendTransaction'] });
    expect((await adapter.broadcast(signed)).kind).toBe('unknown');
    expect(cut.hits).toBe(1);
  });
});
