import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eachInParallel, inPieces } from '../../../src/chains/shared/in-parallel.ts';
import { assertNever } from '../../../src/domain/errors.ts';
import type { Tx } from '../../../src/store/sqlite/database.ts';
import {
  type AccountChange,
  type AccountLook,
  AccountsWorld,
  LostRead,
  run,
} from '../../_helpers/accounts-world.ts';

const TRANSACTIONS = ['transaction', 'relaxedTransaction'] as const;
const LOOKS_AT_ONCE = 3;

let world: AccountsWorld;

beforeAll(async () => {
  world = await AccountsWorld.open();
});
afterAll(async () => {
  await world.close();
});
beforeEach(() => world.forget());

class LostAnswer extends Error {}
class TakenBack extends Error {}

/** A transaction that stays open for as long as the test wants, and one that shares its commit. */
class OpenTransaction {
  readonly #end = Promise.withResolvers<boolean>();
  readonly #entered = Promise.withResolvers<Tx>();
  readonly #done: Promise<unknown>;

  constructor(begun: (typeof TRANSACTIONS)[number], after: readonly string[], isAfterTakenBack: boolean) {
    const first = world.db[begun](async (tx) => {
      this.#entered.resolve(tx);
      if (!(await this.#end.promise)) throw new TakenBack();
    });
    const second = world.db[begun](async (tx) => {
      await run(tx, after);
      if (isAfterTakenBack) throw new TakenBack();
    });
    this.#done = Promise.all([first, second].map(async (each) => each.catch(ignore(TakenBack))));
  }

  async write(statements: readonly string[]): Promise<void> {
    await run(await this.#entered.promise, statements);
  }

  async end(isKept: boolean): Promise<void> {
    await this.#entered.promise;
    this.#end.resolve(isKept);
    await this.#done;
  }
}

function ignore(kind: new () => Error): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof kind)) throw error;
  };
}

const change: fc.Arbitrary<AccountChange> = fc.oneof(
  fc.record({ kind: fc.constant('order' as const) }),
  fc.record({
    kind: fc.constantFrom(
      'close' as const,
      'open' as const,
      'spend' as const,
      ...Array<'receive'>(2).fill('receive'),
    ),
    // On the first page that is read, the second, the third, and what is too old, or just not.
    behind: fc.constantFrom(0, 1, 150, 549, 551, 1_021, 1_099, 1_100, 1_120),
  }),
);
const changes = fc.array(change, { minLength: 1, maxLength: 4 });
const which = fc.nat({ max: LOOKS_AT_ONCE - 1 });
const what = <W extends string>(name: W): fc.Arbitrary<W> => fc.constant(name);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: what('look at once') }) },
  { weight: 3, arbitrary: fc.record({ what: what('begin to look') }) },
  { weight: 6, arbitrary: fc.record({ what: what('look on'), which }) },
  { weight: 2, arbitrary: fc.record({ what: what('look on beside a write'), which, changes }) },
  { weight: 3, arbitrary: fc.record({ what: what('look to the end'), which }) },
  { weight: 1, arbitrary: fc.record({ what: what('look no more'), which }) },
  { weight: 1, arbitrary: fc.record({ what: what('ask a node'), fails: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: what('lose a read'), at: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ what: what('write'), changes }) },
  { weight: 4, arbitrary: fc.record({ what: what('write elsewhere'), changes }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: what('begin to write'),
      begun: fc.constantFrom(...TRANSACTIONS),
      changes,
      after: changes,
      isAfterTakenBack: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: what('end what was begun'), isKept: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A day on which all actions run concurrently. */
class Day {
  readonly #accounts = world.accounts();
  #looks: AccountLook[] = [];
  #transaction: OpenTransaction | null = null;

  async take(taken: Step): Promise<void> {
    switch (taken.what) {
      case 'look at once':
        return this.#finish(this.#begin());
      case 'begin to look':
        if (this.#looks.length < LOOKS_AT_ONCE) this.#begin();
        return undefined;
      case 'look on':
        return goOn(this.#looks[taken.which]);
      case 'look on beside a write': {
        const look = this.#looks[taken.which];
        await Promise.all([goOn(look), this.#write(taken.changes), goOn(look)]);
        return undefined;
      }
      case 'look to the end':
        return this.#finish(this.#looks[taken.which]);
      case 'look no more':
        return this.#abandon(this.#looks[taken.which]);
      case 'ask a node':
        return this.#askANode(taken.fails);
      case 'lose a read':
        return this.#loseARead(taken.at);
      case 'write':
        return this.#write(taken.changes);
      case 'write elsewhere':
        // It cannot while this one has the lock.
        if (this.#transaction === null) world.writeElsewhere(taken.changes);
        return undefined;
      case 'begin to write':
        return this.#beginToWrite(taken);
      case 'end what was begun':
        return this.#endTransaction(taken.isKept);
      default:
        return assertNever(taken);
    }
  }

  /** Whatever happened, the next look tells what is. */
  async end(): Promise<void> {
    for (const look of this.#looks) await this.#finish(look);
    await this.#endTransaction(true);
    await this.#finish(this.#begin());
    await this.#finish(this.#begin());
  }

  #begin(): AccountLook {
    const look = world.begin(this.#accounts);
    this.#looks.push(look);
    return look;
  }

  async #finish(look: AccountLook | undefined): Promise<void> {
    if (look === undefined) return;
    this.#looks = this.#looks.filter((each) => each !== look);
    await world.finish(look);
  }

  async #abandon(look: AccountLook | undefined): Promise<void> {
    this.#looks = this.#looks.filter((each) => each !== look);
    await look?.lists.return();
  }

  async #loseARead(at: number): Promise<void> {
    world.failsIn = at;
    await this.#finish(this.#begin()).catch(ignore(LostRead));
    world.failsIn = null;
  }

  /** As blocks are read: several concurrent requests, one may fail, while other processes write. */
  async #askANode(fails: boolean): Promise<void> {
    const { lists, since } = world.begin(this.#accounts);
    let asked = 0;
    const answers = eachInParallel(inPieces(lists, 100), async (accounts) => {
      asked += 1;
      const isLost = fails && asked === 5;
      await new Promise((resolve) => setImmediate(resolve));
      if (isLost) throw new LostAnswer();
      return accounts;
    });
    const writing = this.#write([{ kind: 'receive', behind: 549 }, { kind: 'order' }]);
    const [told] = await Promise.allSettled([answers, writing]);
    if (told.status === 'fulfilled') world.check({ given: told.value.flat(), since });
    else expect(told.reason).toBeInstanceOf(LostAnswer);
  }

  async #write(wanted: readonly AccountChange[]): Promise<void> {
    if (this.#transaction === null) await world.write(wanted);
    else await this.#transaction.write(world.statements(wanted));
  }

  async #beginToWrite(wanted: Extract<Step, { what: 'begin to write' }>): Promise<void> {
    if (this.#transaction !== null) return;
    const after = world.statements(wanted.after);
    this.#transaction = new OpenTransaction(wanted.begun, after, wanted.isAfterTakenBack);
    await this.#transaction.write(world.statements(wanted.changes));
  }

  async #endTransaction(isKept: boolean): Promise<void> {
    await this.#transaction?.end(isKept);
    this.#transaction = null;
    world.remember();
  }
}

async function goOn(look: AccountLook | undefined): Promise<void> {
  const next = await look?.lists.next();
  if (next?.done === false) look?.given.push(...next.value);
}

/** The merchants' own accounts, three pages, and the end. */
const MOMENTS = [0, 1, 2, 3, 4, 5];

/** At one moment of a look an account of each page is paid; another look begins and ends at others. */
async function overlap(at: {
  write: number;
  begin: number;
  end: number;
  isElsewhere: boolean;
}): Promise<void> {
  const accounts = world.accounts();
  const [first, second] = [world.begin(accounts), world.begin(accounts)];
  const paid = [1, 549, 1_021].map((behind) => ({ kind: 'receive' as const, behind }));
  for (const moment of MOMENTS) {
    if (moment === at.begin) await goOn(second);
    if (moment === at.write && at.isElsewhere) world.writeElsewhere(paid);
    else if (moment === at.write) await world.write(paid);
    if (moment === at.end) await world.finish(second);
    await goOn(first);
  }
  await world.finish(first);
  await world.finish(world.begin(accounts));
}

describe('reads of open accounts during concurrent writes', () => {
  it('miss nothing and return no outdated state, also after an aborted or failed read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        world.forget();
        const day = new Day();
        for (const each of steps) await day.take(each);
        await day.end();
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['this process', false],
    ['another one', true],
  ])(
    'include what %s wrote at any moment between two overlapping reads',
    async (_by, isElsewhere) => {
      for (const write of MOMENTS) {
        for (const begin of [0, 2, 4]) {
          for (const end of [2, 4, 5].filter((each) => each >= begin)) {
            await overlap({ write, begin, end, isElsewhere });
          }
        }
      }
    },
    120_000,
  );
});
