import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { BlockRef, ChainAdapter, Credit } from '../../../src/domain/chain.ts';
import { OpenIndex } from '../../_helpers/svm/open-index.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const PATIENCE_MS = 20_000;

/** A full page of the same entry. */
const repeated = (result: unknown): unknown => Array.from({ length: 1_000 }, () => (result as unknown[])[0]);

/** The newest two entries, as a full page: what follows has to be asked for. */
function firstPage(result: unknown): unknown {
  const [newest, second] = result as unknown[];
  return [newest, ...Array.from({ length: 999 }, () => second)];
}

/** What a hostile node, or heavy use of the network, can do to the account watch. */
describe('AccountWatch on Solana', () => {
  const [victim, other] = [strangerAddress(), strangerAddress()];
  const clock = {
    ms: Date.now(),
    now: () => clock.ms,
  };
  let node: SvmNode;
  let payer: Payer;
  let index: OpenIndex;
  let adapter: ChainAdapter;
  let cursor: BlockRef;

  beforeEach(async () => {
    node = await SvmNode.start();
    payer = new Payer(node);
    index = new OpenIndex([victim, other]);
    adapter = createSolanaAdapter({ network: 'regtest', rpcUrl: node.url, index, clock, logger: silent });
    cursor = await adapter.tip();
  });
  afterEach(async () => {
    await adapter.close();
    await node.stop();
  });

  /** One round of the follower: every block up to the tip, recorded. Answers what it brought. */
  async function round(): Promise<Credit[]> {
    const credits: Credit[] = [];
    try {
      for (;;) {
        const block = await adapter.sparse?.blockAfter(cursor);
        if (block === null || block === undefined) return credits;
        credits.push(...block.credits);
        index.record(block.credits);
        cursor = { height: block.height, hash: block.hash };
      }
    } finally {
      await adapter.unconfirmed().catch(() => undefined);
    }
  }

  /** Lamports that appear in an account though no transaction moves them, as validators' rewards do. */
  function reward(address: string, lamports: bigint): void {
    const account = node.ledger.machine.account(address);
    if (account === null) throw new Error('only accounts that exist are rewarded here');
    node.ledger.put(address, { ...account, lamports: account.lamports + lamports });
    node.advance(2);
  }

  function pay(address: string, amount: bigint): void {
    payer.pay([{ address, amount }]);
    node.advance(2);
  }

  async function paid(address: string, amount: bigint): Promise<void> {
    pay(address, amount);
    expect(await round()).toMatchObject([{ watchKey: address, amount }]);
  }

  it('continues for all other accounts when one account receives lamports without a transaction', async () => {
    await paid(victim, 5_000_000n);
    reward(victim, 1n);
    expect(await round()).toEqual([]);
    // The balance is another one at every look: patience must end all the same.
    for (let passed = 0; passed < PATIENCE_MS; passed += 5_000) {
      clock.ms += 5_000;
      reward(victim, 1n);
      await round().catch(() => undefined);
    }
    pay(other, 7_000_000n);
    reward(victim, 1n);
    expect(await round()).toMatchObject([{ watchKey: other, amount: 7_000_000n }]);
  });

  it('waits for the transaction histories of several accounts concurrently', async () => {
    await paid(victim, 5_000_000n);
    await paid(other, 5_000_000n);
    reward(victim, 1n);
    reward(other, 1n);
    pay(other, 6_000_000n);
    expect(await round()).toEqual([]);
    clock.ms += PATIENCE_MS;
    node.advance();
    expect(await round()).toMatchObject([{ watchKey: other, amount: 6_000_000n }]);
  });

  it('credits a payment to an account with unexplained lamports once, and never the unexplained lamports', async () => {
    await paid(victim, 5_000_000n);
    reward(victim, 1n);
    await round().catch(() => undefined);
    clock.ms += PATIENCE_MS;
    await paid(victim, 6_000_000n);
    node.advance(2);
    expect(await round()).toEqual([]);
  });

  it('ends when a node returns the same page of a history again and again', async () => {
    payer.pay([{ address: victim, amount: 5_000_000n }]);
    payer.pay([{ address: victim, amount: 5_000_000n }]);
    node.advance(2);
    const scope = { methods: ['getSignaturesForAddress'] };
    const fault = node.inject({ kind: 'rewrite', rewrite: repeated }, scope);
    expect(await round()).toEqual([]);
    expect(fault.hits).toBeLessThan(8);
    fault.clear();
    node.advance();
    expect(await round()).toHaveLength(2);
  });

  it('reads a history of several pages completely, also when a fork removes the transaction at a page boundary', async () => {
    for (const amount of [5_000_000n, 1n, 2n, 3n]) payer.pay([{ address: victim, amount }]);
    node.advance(2);
    // Between the first page and the second the cluster turns to another branch.
    let forked = false;
    const rewrite = (result: unknown): unknown => {
      if (!forked) node.fork({ depth: 2 });
      forked = true;
      return firstPage(result);
    };
    const scope = { methods: ['getSignaturesForAddress'], times: 1 };
    node.inject({ kind: 'rewrite', rewrite }, scope);
    expect(await round()).toEqual([]);
    node.advance(33);
    node.inject({ kind: 'rewrite', rewrite: firstPage }, scope);
    const credits = await round();
    expect(credits.map(({ amount }) => amount)).toEqual([5_000_000n, 1n, 2n, 3n]);
  });

  it('credits new money to an account that was emptied and closed before', async () => {
    await paid(victim, 5_000_000n);
    const account = node.ledger.machine.account(victim);
    // Gone and back within one look: the balance is what it was, and so is the ledger.
    node.ledger.put(victim, { ...account!, lamports: 0n });
    node.advance();
    expect(node.ledger.machine.lamports(victim)).toBe(0n);
    pay(victim, 8_000_000n);
    await round().catch(() => undefined);
    clock.ms += PATIENCE_MS;
    node.advance();
    expect(await round()).toMatchObject([{ watchKey: victim, amount: 8_000_000n }]);
  });

  it('retries when the node lags behind its earlier answer', async () => {
    await paid(victim, 5_000_000n);
    const message = 'Minimum context slot has not been reached';
    const scope = { methods: ['getMultipleAccounts'], times: 1 };
    node.inject({ kind: 'error', code: -32016, message, data: { contextSlot: 1 } }, scope);
    pay(other, 7_000_000n);
    await expect(round()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await round()).toMatchObject([{ watchKey: other }]);
  });
});
