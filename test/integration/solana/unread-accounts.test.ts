import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { BlockRef, ChainAdapter, Credit } from '../../../src/domain/chain.ts';
import { OpenIndex } from '../../_helpers/svm/open-index.ts';
import type { Fault } from '../../_helpers/svm/faults.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';

const PATIENCE_MS = 20_000;
/** How long an account is left alone after no answer about it, at first. */
const REST_MS = 5_000;
const HISTORY = 'getSignaturesForAddress';
const BALANCES = 'getMultipleAccounts';

type Lines = { fields: Record<string, unknown>; message: string }[];

/** Replaces what the node answers about the first of the accounts asked for, which is the victim. */
const entry = (value: unknown) => (result: unknown) => {
  const told = result as { value: unknown[] };
  return { ...told, value: told.value.map((each, at) => (at === 0 ? value : each)) };
};

describe('AccountWatch with an account that cannot be read', () => {
  const [victim, other] = [strangerAddress(), strangerAddress()];
  const clock = { ms: Date.now(), now: () => clock.ms };
  const errors: Lines = [];
  const warnings: Lines = [];
  const logger = {
    debug() {},
    info() {},
    warn: (fields: object, message: string) =>
      void warnings.push({ fields: fields as Record<string, unknown>, message }),
    error: (fields: object, message: string) =>
      void errors.push({ fields: fields as Record<string, unknown>, message }),
  };
  let node: SvmNode;
  let payer: Payer;
  let index: OpenIndex;
  let adapter: ChainAdapter;
  let cursor: BlockRef;

  beforeEach(async () => {
    errors.length = 0;
    warnings.length = 0;
    node = await SvmNode.start();
    payer = new Payer(node);
    index = new OpenIndex([victim, other]);
    adapter = createSolanaAdapter({ network: 'regtest', rpcUrl: node.url, index, clock, logger });
    cursor = await adapter.tip();
  });
  afterEach(async () => {
    await adapter.close();
    await node.stop();
  });

  async function round(): Promise<Credit[]> {
    const credits: Credit[] = [];
    for (;;) {
      const block = await adapter.sparse?.blockAfter(cursor);
      if (block === null || block === undefined) break;
      credits.push(...block.credits);
      index.record(block.credits);
      cursor = { height: block.height, hash: block.hash };
    }
    await adapter.unconfirmed();
    return credits;
  }

  function pay(address: string, amount: bigint): void {
    payer.pay([{ address, amount }]);
    node.advance(2);
  }

  const ofVictim = { methods: [HISTORY], about: ([first]: readonly unknown[]) => first === victim };
  const victimFirst = {
    methods: [BALANCES],
    about: ([accounts]: readonly unknown[]) => (accounts as unknown[])[0] === victim,
  };

  const FORMS: readonly [form: string, method: string, spoil: () => { clear(): void }][] = [
    [
      'a history that is null',
      HISTORY,
      () => node.inject({ kind: 'rewrite', rewrite: () => null }, ofVictim),
    ],
    [
      'a history without slots',
      HISTORY,
      () => node.inject({ kind: 'rewrite', rewrite: () => [{ signature: 'x' }] }, ofVictim),
    ],
    [
      'an error for its history',
      HISTORY,
      () => node.inject({ kind: 'error', code: -32603, message: 'internal error' }, ofVictim),
    ],
    [
      'a balance without lamports',
      BALANCES,
      () => node.inject({ kind: 'rewrite', rewrite: entry({ owner: 'x' }) }, victimFirst),
    ],
    [
      'a balance below zero',
      BALANCES,
      () => node.inject({ kind: 'rewrite', rewrite: entry({ lamports: -5 }) }, victimFirst),
    ],
    [
      'an error in place of its balance',
      BALANCES,
      () => node.inject({ kind: 'rewrite', rewrite: entry('internal error') }, victimFirst),
    ],
  ];

  it.each(FORMS)(
    'credits other payments while the node answers %s for it, and the account once it can be read',
    async (_, method, spoil) => {
      const fault = spoil();
      pay(victim, 5_000_000n);
      pay(other, 7_000_000n);
      expect(await round()).toMatchObject([{ watchKey: other, amount: 7_000_000n }]);
      node.advance();
      expect(await round()).toEqual([]);
      expect(errors).toMatchObject([
        {
          fields: { coin: 'SOL', account: victim, method },
          message: 'on-chain account unreadable; skipped and retried, other accounts are not affected',
        },
      ]);
      const { alarms, warnings } = await adapter.status();
      expect(alarms).toContain('unreadable');
      expect(warnings).toContain(
        `1 account(s) unreadable and set aside, their money is not credited: ${victim}`,
      );

      fault.clear();
      node.advance();
      expect(await round()).toMatchObject([{ watchKey: victim, amount: 5_000_000n }]);
      expect((await adapter.status()).alarms ?? []).not.toContain('unreadable');
    },
  );

  it.each(FORMS)(
    'reports the account as unexplained while the node returns %s',
    async (_, _method, spoil) => {
      spoil();
      pay(victim, 5_000_000n);
      await round();
      clock.ms += PATIENCE_MS;
      node.advance();
      expect(await round()).toEqual([]);
      expect((await adapter.status()).unexplained?.accounts).toBe(1);
    },
  );

  it.each(FORMS)(
    'does not count the account as fully credited at the expiry check when the node returns %s',
    async (_, method, spoil) => {
      spoil();
      pay(victim, 5_000_000n);
      await round();
      if (adapter.funds?.model !== 'accounts') throw new Error('accounts are expected');
      const held = await adapter.funds.heldAfter([victim, other], cursor);
      // Without a balance it is unknown; with one it holds more than is credited.
      expect(held.get(victim)).toBe(method === BALANCES ? undefined : 5_000_000n);
      expect(held.get(other)).toBe(0n);
    },
  );

  it('refuses a reconciliation and a send that need the balance of the account', async () => {
    node.inject({ kind: 'rewrite', rewrite: entry({ owner: 'x' }) }, victimFirst);
    if (adapter.funds?.model !== 'accounts') throw new Error('accounts are expected');
    await expect(adapter.funds.balancesAt([victim, other], cursor)).rejects.toMatchObject({
      kind: 'bad_answer',
    });
    await expect(adapter.wholeAccounts?.heldNow([victim, other])).rejects.toThrow(
      /getMultipleAccounts: unexpected/,
    );
  });

  it.each([
    [-32601, 'Method not found'],
    [-32005, 'Node is behind by 42 slots'],
    [-32429, 'Too many requests'],
  ])(
    'skips no account while the node answers %i, because that error concerns the whole node',
    async (code, message) => {
      const fault = node.inject({ kind: 'error', code, message }, ofVictim);
      pay(victim, 5_000_000n);
      await expect(round()).rejects.toThrow(message);
      expect(errors).toEqual([]);
      fault.clear();
      expect(await round()).toHaveLength(1);
    },
  );

  describe('while the node does not answer for it', () => {
    const SILENT: readonly [how: string, fault: Fault][] = [
      ['breaks the connection', { kind: 'cut' }],
      ['is busy', { kind: 'status', status: 503 }],
    ];

    it.each(SILENT)(
      'credits other payments immediately when the node %s, and the account later',
      async (_, fault) => {
        const silent = node.inject(fault, ofVictim);
        pay(victim, 5_000_000n);
        pay(other, 7_000_000n);
        expect(await round()).toMatchObject([{ watchKey: other, amount: 7_000_000n }]);
        expect(errors).toEqual([]);
        expect(warnings).toContainEqual({
          fields: expect.objectContaining({ account: victim, method: HISTORY }),
          message: 'on-chain account not read; will retry',
        });
        silent.clear();
        clock.ms += REST_MS;
        node.advance();
        expect(await round()).toMatchObject([{ watchKey: victim, amount: 5_000_000n }]);
      },
    );

    it('requests its history again with backoff, and skips it after three attempts', async () => {
      const silent = node.inject({ kind: 'cut' }, ofVictim);
      pay(victim, 5_000_000n);
      await round();
      const first = silent.hits;
      node.advance();
      await round();
      expect(silent.hits).toBe(first);
      for (const pause of [REST_MS, 2 * REST_MS]) {
        clock.ms += pause;
        node.advance();
        await round();
      }
      expect(silent.hits).toBe(3 * first);
      expect(errors).toMatchObject([{ fields: { account: victim, method: HISTORY } }]);
      expect((await adapter.status()).alarms).toContain('unreadable');
      clock.ms -= 10 * REST_MS;
      silent.clear();
      node.advance();
      expect(await round()).toMatchObject([{ watchKey: victim, amount: 5_000_000n }]);
      expect((await adapter.status()).alarms ?? []).not.toContain('unreadable');
    });

    it('throws an error when no balance is returned', async () => {
      node.inject({ kind: 'status', status: 503 }, { methods: [BALANCES] });
      pay(other, 7_000_000n);
      await expect(round()).rejects.toThrow(BALANCES);
      expect(errors).toEqual([]);
    });
  });
});
