import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COINS } from '../../../src/domain/coins.ts';
import type { KeyPath } from '../../../src/domain/keys.ts';
import { SharedThread } from '../../../src/thread/shared-thread.ts';
import { createAddressStock, type AddressStock } from '../../../src/wallet/address-stock.ts';
import { createWallet, type Wallet } from '../../../src/wallet/derivation.ts';
import type { PublicBranch } from '../../../src/wallet/secp256k1-branch.ts';
import { Keyring } from '../../../src/wallet/keyring.ts';
import { Patience } from '../../../src/wallet/patience.ts';
import { eventually } from '../../_helpers/poll.ts';
import { threadThat } from '../../_helpers/thread-that.ts';
import { silent } from '../../_helpers/wallet-world.ts';

const STOCK = { liveNetwork: 'regtest', logger: silent } as const;

let wallet: Wallet;
let derived = 0;
let stock: AddressStock;

beforeAll(async () => {
  const plain = createWallet({
    keyring: await Keyring.fromEntropy(Buffer.alloc(32, 9)),
    liveNetwork: 'regtest',
  });
  wallet = {
    ...plain,
    address: (path) => {
      derived += 1;
      return plain.address(path);
    },
  };
  stock = createAddressStock({ ...STOCK, wallet, thread: new SharedThread() });
});
afterAll(async () => stock.close());

const at = (index: number): KeyPath => ({ coin: 'BTC', mode: 'live', account: 3, branch: 0, index });

test('the next addresses of a branch in use are ready, and those that follow them', async () => {
  let index = 0;
  await eventually(
    'eight addresses in a row come from stock',
    async () => {
      const before = derived;
      for (let more = 0; more < 8; more += 1) stock.address(at(index++));
      await new Promise((resolve) => setTimeout(resolve, 20));
      return derived - before;
    },
    (missed) => missed === 0,
    20_000,
  );
});

test('every address is that of its path, in whatever order, however often and fast they are asked for', async () => {
  const order = fc.record({
    coin: fc.constantFrom(...COINS),
    mode: fc.constantFrom('live' as const, 'sandbox' as const),
    account: fc.nat(2),
    index: fc.oneof(fc.nat(40), fc.nat(2 ** 31 - 200)),
    run: fc.nat(6),
    pause: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(order, { maxLength: 8 }), async (orders) => {
      for (const { run, pause, index, ...branch } of orders) {
        if (pause) await new Promise((resolve) => setTimeout(resolve, 2));
        for (let more = 0; more <= run; more += 1) {
          const path = { ...branch, branch: 0, index: index + more } as const;
          expect(stock.address(path)).toBe(wallet.address(path));
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('the last index of a branch is the end', () => {
  const last = at(2 ** 31 - 1);
  expect(stock.address(last)).toBe(wallet.address(last));
});

test('without its worker it derives on the spot', async () => {
  await stock.close();
  expect(stock.address(at(5_000))).toBe(wallet.address(at(5_000)));
});

/** A stock whose thread works from whatever `branch` makes of the right public key. */
function stockFrom(branch: (path: KeyPath) => PublicBranch): {
  readonly own: AddressStock;
  /** Addresses that were not in stock. */
  readonly made: () => number;
} {
  let made = 0;
  const counting: Wallet = {
    ...wallet,
    publicBranch: branch,
    address: (path) => {
      made += 1;
      return wallet.address(path);
    },
  };
  return {
    own: createAddressStock({ ...STOCK, wallet: counting, thread: new SharedThread(), restMs: 50 }),
    made: () => made,
  };
}

test('hands out nothing that a thread derived from another key, wherever the fault is', async () => {
  const orders: KeyPath[] = [];
  const { own } = stockFrom((path) => {
    orders.push(path);
    return wallet.publicBranch({ ...path, account: path.account + 1 });
  });
  // Each order after the first was made when the one before it had been served.
  for (let index = 0; orders.length < 3; index += 1) {
    expect(own.address(at(index))).toBe(wallet.address(at(index)));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await own.close();
});

test('a thread that fails keeps nobody from an address, and after a while another takes its place', async () => {
  let broken = 1;
  const { own, made } = stockFrom((path) => {
    const right = wallet.publicBranch(path);
    return broken-- > 0 ? { ...right, publicKey: new Uint8Array(33) } : right;
  });
  let index = 0;
  await eventually(
    'addresses come from stock again',
    async () => {
      const before = made();
      for (let more = 0; more < 8; more += 1) {
        expect(own.address(at(index))).toBe(wallet.address(at(index)));
        index += 1;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
      return made() - before;
    },
    (missed) => missed <= 1,
    20_000,
  );
  expect(broken).toBeLessThan(0);
  await own.close();
});

test('a thread that hangs is noticed, ended and told of once, and another one takes its place', async () => {
  const threads: SharedThread[] = [];
  const said: string[] = [];
  const hanging = threadThat('{ deriveAhead() { return { serve() { for (;;); } }; } }');
  const working = new SharedThread();
  const thread = {
    open: (...args: Parameters<SharedThread['open']>) => {
      const next = threads.length < 3 ? hanging : working;
      threads.push(next);
      return next.open(...args);
    },
  } as unknown as SharedThread;
  const logger = {
    info: (_fields: object, line: string) => void said.push(line),
    error: (fields: object, line: string) =>
      void said.push(`${line}: ${'err' in fields ? String(fields.err) : ''}`),
  };
  const own = createAddressStock({ ...STOCK, wallet, thread, logger, restMs: 10, patienceMs: 1_000 });
  let index = 0;
  await eventually(
    'a thread that works',
    async () => {
      expect(own.address(at(index))).toBe(wallet.address(at(index)));
      index += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return said.length;
    },
    (lines) => lines === 2,
    20_000,
  );
  expect(said).toEqual([
    'addresses are not derived ahead for now, which makes new payments slower: Error: the thread hangs',
    'addresses are derived ahead again',
  ]);
  expect(threads).toEqual([hanging, hanging, hanging, working]);
  await own.close();
});

test('a thread is given its time again with whatever it serves, and none when nothing is owed', async () => {
  let lost = 0;
  let isAtIt = true;
  const patience = new Patience(
    40,
    () => isAtIt,
    () => (lost += 1),
  );
  for (let orders = 0; orders < 8; orders += 1) patience.asked();
  for (let served = 0; served < 8; served += 1) {
    await new Promise((resolve) => setTimeout(resolve, 12));
    patience.answered();
  }
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(lost).toBe(0);
  // The process stood still: what came meanwhile is handled before anybody is given up.
  patience.asked();
  const until = performance.now() + 200;
  while (performance.now() < until);
  setImmediate(() => patience.answered());
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(lost).toBe(0);
  // What waits for its turn is nobody's fault.
  isAtIt = false;
  patience.asked();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(lost).toBe(0);
  isAtIt = true;
  await eventually(
    'somebody gives up, once',
    async () => lost,
    (times) => times === 1,
    2_000,
  );
});
