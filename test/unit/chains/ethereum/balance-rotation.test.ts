import { expect, it } from 'vitest';
import {
  BalanceRotation,
  type Candidates,
} from '../../../../src/chains/ethereum/accounts/balance-rotation.ts';
import { ChainError, type OpenAccount } from '../../../../src/domain/chain.ts';
import { silent } from '../../../_helpers/wallet-world.ts';

const account = (name: string, isAwaited = true): OpenAccount => ({
  watchKey: name,
  since: 0,
  holdings: [],
  isAwaited,
});
const many = (name: string, count: number, isAwaited = true): OpenAccount[] =>
  Array.from({ length: count }, (_, at) => account(`${name}${at}`, isAwaited));
const block = (number: number, branch = '') => ({
  number,
  hash: `${branch}${number}`,
  parentHash: `${branch}${number - 1}`,
});
const failure = new ChainError('unavailable', 'the node limits our rate (429)');
const none = { differing: new Set<string>(), undecided: new Set<string>() };

interface Round {
  readonly isTraced?: boolean;
  readonly perCall?: number;
  /** How many of the chosen are read before a failure; all by default. */
  readonly read?: number;
  readonly branch?: string;
}

/** Reads one block; answers which accounts were read. */
function round(
  turns: BalanceRotation,
  number: number,
  candidates: Partial<Candidates>,
  told: Round = {},
): string[] {
  const { isTraced = false, perCall = 1, read, branch = '' } = told;
  const chosen = turns.choose(
    block(number, branch),
    { open: [], turn: [], ...candidates },
    { isTraced, perCall },
  );
  const names = chosen.map(({ watchKey }) => watchKey).slice(0, read);
  const readings = { answers: names.map(() => 0n), failure: names.length < chosen.length ? failure : null };
  turns.done(block(number, branch), chosen, readings, none);
  return names;
}

it('BalanceRotation reads accounts with an open payment in every untraced block, and the other accounts in turn', () => {
  const turns = new BalanceRotation(silent);
  const open = [account('waiting'), account('paid', false)];
  expect(round(turns, 1, { open })).toEqual(['waiting']);
  expect(round(turns, 2, { open })).toEqual(['waiting']);
  expect(round(turns, 3, { open, turn: [account('paid', false)] })).toEqual(['waiting', 'paid']);
});

it('BalanceRotation fills the rest of a bulk call with accounts that expect no payment', () => {
  const turns = new BalanceRotation(silent);
  const open = [...many('waiting', 3), ...many('paid', 9, false)];
  expect(round(turns, 1, { open }, { perCall: 5 })).toEqual([
    'waiting0',
    'waiting1',
    'waiting2',
    'paid0',
    'paid1',
  ]);
  const next = round(turns, 2, { open }, { perCall: 5 });
  expect(next.slice(3)).toEqual(['paid2', 'paid3']);
});

it('BalanceRotation reads an account only once while all blocks are traced, and again after an untraced block or a reorg', () => {
  const turns = new BalanceRotation(silent);
  const open = [account('waiting')];
  const traced = { isTraced: true };
  expect(round(turns, 1, { open }, traced)).toEqual(['waiting']);
  expect(round(turns, 2, { open }, traced)).toEqual([]);
  expect(round(turns, 3, { open: [...open, account('new')] }, traced)).toEqual(['new']);
  expect(round(turns, 4, { open })).toEqual(['waiting']);
  expect(round(turns, 5, { open }, traced)).toEqual([]);
  expect(round(turns, 5, { open }, { ...traced, branch: 'other' })).toEqual(['waiting']);
});

it('BalanceRotation does not count an account as read when its balance is unknown or differs from the ledger', () => {
  const turns = new BalanceRotation(silent);
  const open = [account('unread'), account('differing')];
  const chosen = turns.choose(block(1), { open, turn: [] }, { isTraced: true, perCall: 1 });
  const differing = new Set(['differing']);
  turns.done(block(1), chosen, { answers: ['unknown', 5n], failure: null }, { ...none, differing });
  expect(round(turns, 2, { open }, { isTraced: true })).toEqual(['unread', 'differing']);
});

it('BalanceRotation requests fewer balances per block after an error, and warns until every account was read', () => {
  const turns = new BalanceRotation(silent);
  const open = many('waiting', 100);
  const seen = new Set(round(turns, 1, { open }, { read: 60 }));
  expect(turns.warning()).toMatch(/40 of 100 addresses .* block 1.*limits our rate/);
  const second = round(turns, 2, { open });
  expect(second).toHaveLength(30);
  second.forEach((name) => expect(seen).not.toContain(name));
  for (const name of [...second, ...round(turns, 3, { open })]) seen.add(name);
  expect(seen.size).toBe(100);
  for (let number = 4; number < 12; number += 1) round(turns, number, { open });
  expect(turns.warning()).toBeNull();
  expect(round(turns, 12, { open })).toHaveLength(100);
});

it('BalanceRotation reserves a share of each bulk call for accounts without an open payment, however many have one', () => {
  const turns = new BalanceRotation(silent);
  const open = many('waiting', 400);
  round(turns, 1, { open }, { read: 80 });
  const read = round(turns, 2, { open, turn: many('old', 50, false) });
  expect(read.filter((name) => name.startsWith('old'))).toHaveLength(10);
});

it('BalanceRotation warns when a node without traces has pruned the state of a block', () => {
  const turns = new BalanceRotation(silent);
  const open = many('waiting', 3);
  const read = (number: number, answer: bigint | 'unknown', isTraced = false): string | null => {
    const chosen = turns.choose(block(number), { open, turn: [] }, { isTraced, perCall: 5 });
    turns.done(block(number), chosen, { answers: chosen.map(() => answer), failure: null }, none);
    return turns.warning();
  };
  expect(read(1, 'unknown')).toContain('3 of 3 addresses that wait for money were not read in block 1');
  expect(read(2, 0n)).toBeNull();
  expect(read(3, 'unknown', true)).toBeNull();
});

it('BalanceRotation retries an account with a malformed balance in the next block, and warns meanwhile', () => {
  const turns = new BalanceRotation(silent);
  const open = many('waiting', 3);
  const chosen = turns.choose(block(1), { open, turn: [] }, { isTraced: true, perCall: 1 });
  turns.done(block(1), chosen, { answers: [0n, 'unreadable', 0n], failure: null }, none);
  expect(turns.warning()).toMatch(/1 of 3 addresses .* block 1.*an answer was malformed/);
  expect(turns.readAt('waiting1')).toBeNull();
  expect(round(turns, 2, { open }, { isTraced: true })).toEqual(['waiting1']);
  expect(turns.warning()).toBeNull();
});
