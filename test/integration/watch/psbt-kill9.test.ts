/** kill -9 before each write of sends from watched accounts: the chain has one transaction of each, or none. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireNode, toAtoms } from '../../_helpers/nodes/index.ts';
import { AMOUNT, KilledWorld, type Watching } from './killed-world.ts';

/** The value of AMOUNT at the rate of the tests, 100,000 dollars a coin. */
const AMOUNT_USD = 40;
/** Each write restarts the daemon. */
const TIMEOUT_MS = 3_600_000;
/** More than the writes of any act; those beyond belong to other work, such as the delivery of webhooks. */
const MOST_WRITES = 40;
const EVENTS = ['send.awaiting_signature', 'send.broadcast', 'send.confirmed'];

/** Does this with a kill before the first write, the second one, and so on until all writes are passed. */
async function eachWrite(act: (step: number) => Promise<readonly boolean[]>): Promise<number> {
  for (let step = 0; step < MOST_WRITES; step += 1) {
    const killed = await act(step);
    if (!killed.includes(true)) return step;
  }
  return MOST_WRITES;
}

describe.skipIf(!requireNode('BTC'))('a daemon that is killed before any write of a send by PSBT', () => {
  let world: KilledWorld;
  // One each, because sessions end when the clock is stepped.
  beforeEach(async () => {
    world = await KilledWorld.start();
  });
  afterEach(async ({ task }) => {
    process.stdout.write(`${task.name}: ${world?.kills} kills\n`);
    await world?.end();
  });

  const isStatus = (destination: string, status: string) => () =>
    world.statuses(destination).includes(status);

  /** Killed at this write of the order. */
  async function order(watching: Watching, destination: string, step: number | null, code = 200) {
    const killed =
      step !== null &&
      (await world.killing(
        step,
        async () => world.order(watching, destination),
        (answer) => answer?.status === code,
      ));
    const { status, body } = await world.order(watching, destination);
    expect([status, body.error]).toEqual([code, null]);
    return { killed, id: body.data.id };
  }

  /** Signs a send, has it confirmed, and compares what remains with the chain. */
  async function settle(
    watching: Watching,
    { id, destination, step }: { readonly id: string; readonly destination: string; readonly step: number },
  ): Promise<readonly boolean[]> {
    const psbt = await world.signed(watching, id);
    const submitted = await world.killing(
      step,
      async () => world.submit(watching, id, psbt),
      isStatus(destination, 'broadcast'),
    );
    expect((await world.submit(watching, id, psbt)).body.error).toBeNull();
    await world.mine();
    const confirmed = await world.killing(step, async () => null, isStatus(destination, 'confirmed'));
    expect(world.statuses(destination)).toEqual(['confirmed']);
    expect((await world.order(watching, destination)).body.data.id).toBe(id);
    return [submitted, confirmed];
  }

  async function expectPaid(destinations: readonly string[], types: readonly string[]): Promise<void> {
    for (const destination of destinations) {
      expect(await world.paid(destination)).toEqual([toAtoms(AMOUNT)]);
      expect(world.countReserved(destination)).toBe(0);
      await world.expectEvents(destination, types);
    }
  }

  async function expectUnpaid(destinations: readonly string[]): Promise<void> {
    await world.mine();
    for (const destination of destinations) {
      expect(await world.paid(destination)).toEqual([]);
      expect(world.countReserved(destination)).toBe(0);
      expect(world.statuses(destination)).toEqual(['failed']);
      await world.expectEvents(destination, ['send.awaiting_signature', 'send.failed']);
    }
  }

  it(
    'pays once what is ordered, signed and confirmed, and counts it once against the limit per day',
    async () => {
      const watching = await world.openAccount();
      const destinations: string[] = [];
      const steps = await eachWrite(async (step) => {
        const destination = await world.foreignAddress();
        destinations.push(destination);
        const { killed, id } = await order(watching, destination, step);
        return [killed, ...(await settle(watching, { id, destination, step }))];
      });
      expect(steps).toBeGreaterThan(5);
      await expectPaid(destinations, EVENTS);
      // There is room for one more.
      const [next, beyond] = [await world.foreignAddress(), await world.foreignAddress()];
      await world.limit(watching, { perDay: String((destinations.length + 1) * AMOUNT_USD) });
      await order(watching, next, null);
      await order(watching, beyond, null, 202);
    },
    TIMEOUT_MS,
  );

  it(
    'pays a send once that was approved and then signed',
    async () => {
      const watching = await world.openAccount();
      await world.limit(watching, { perSend: '1' });
      const destinations: string[] = [];
      await eachWrite(async (step) => {
        const destination = await world.foreignAddress();
        destinations.push(destination);
        const { killed, id } = await order(watching, destination, step, 202);
        expect(world.statuses(destination)).toEqual([]);
        await world.stepUp();
        const approved = await world.killing(
          step,
          async () => world.approve(watching, id),
          isStatus(destination, 'preparing'),
        );
        return [killed, approved, ...(await settle(watching, { id, destination, step }))];
      });
      await expectPaid(destinations, ['send.pending_approval', ...EVENTS]);
    },
    TIMEOUT_MS,
  );

  it(
    'pays nothing of what is cancelled, and frees its outputs',
    async () => {
      const watching = await world.openAccount();
      const destinations: string[] = [];
      await eachWrite(async (step) => {
        const destination = await world.foreignAddress();
        destinations.push(destination);
        const { id } = await order(watching, destination, null);
        const psbt = await world.signed(watching, id);
        const cancelled = await world.killing(
          step,
          async () => world.cancel(watching, id),
          isStatus(destination, 'failed'),
        );
        expect((await world.submit(watching, id, psbt)).body.error?.code).toBe('INVALID_STATE');
        return [cancelled];
      });
      await expectUnpaid(destinations);
    },
    TIMEOUT_MS,
  );

  it(
    'pays nothing of what expired, and frees its outputs',
    async () => {
      const watching = await world.openAccount();
      const destinations: string[] = [];
      await eachWrite(async (step) => {
        const destination = await world.foreignAddress();
        destinations.push(destination);
        const { id } = await order(watching, destination, null);
        const psbt = await world.signed(watching, id);
        let isExpired = false;
        const expired = await world.killing(
          step,
          async () => {
            if (!isExpired) world.expire();
            isExpired = true;
          },
          isStatus(destination, 'failed'),
        );
        expect((await world.submit(watching, id, psbt)).body.error?.code).toBe('INVALID_STATE');
        return [expired];
      });
      await expectUnpaid(destinations);
    },
    TIMEOUT_MS,
  );
});
