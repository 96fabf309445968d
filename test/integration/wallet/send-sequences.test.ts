import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openAccounts, openOutputs } from '../../_helpers/sequence-networks.ts';
import { SendLife, type Standing } from '../../_helpers/send-sequences.ts';
import { answered } from '../../_helpers/send-line.ts';
import { type LifeOf, lives } from '../../_helpers/send-steps.ts';

describe.each([
  // An output that was displaced is lost; a balance is paid from whatever else came.
  { money: 'outputs', open: openOutputs, ended: 'send.failed' },
  { money: 'accounts', open: openAccounts, ended: 'send.confirmed' },
])('sends from a wallet of $money', ({ open, ended }) => {
  async function live(life: LifeOf): Promise<Standing[]> {
    const { world, network, line, close } = await open();
    try {
      return await new SendLife(world, network, line).live(life);
    } finally {
      await close();
    }
  }

  test('are paid when a reorg drops the block with the conflicting transaction', async () => {
    const [sent] = await live({
      steps: [
        { kind: 'send', order: 0, percent: 20 },
        { kind: 'steal', which: 0 },
        { kind: 'mine', count: 1 },
        { kind: 'reorg', depth: 1, fate: 'dropped' },
        { kind: 'revive', which: 0 },
        { kind: 'mine', count: 1 },
      ],
      answers: answered(),
    });
    expect(sent?.events).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('fail once the block with the conflicting transaction is final', async () => {
    const [sent] = await live({
      steps: [
        { kind: 'send', order: 0, percent: 20 },
        { kind: 'steal', which: 0 },
        { kind: 'mine', count: 1 },
      ],
      answers: answered(),
    });
    expect(sent?.events).toEqual(['send.broadcast', 'send.failed']);
  });

  test('are confirmed when a block contains them although they were cancelled', async () => {
    const [sent] = await live({
      steps: [
        { kind: 'send', order: 0, percent: 20 },
        { kind: 'cancel', which: 0 },
        { kind: 'mine', count: 1 },
      ],
      answers: answered('heard', 'never'),
    });
    expect(sent?.versions.map(({ cancels }) => cancels)).toEqual([false, true]);
    expect(sent?.events).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('fail when they spend a deposit that a reorg dropped', async () => {
    const [sent] = await live({
      steps: [
        { kind: 'pay', coins: 8 },
        { kind: 'mine', count: 1 },
        { kind: 'send', order: 0, percent: 5 },
        { kind: 'reorg', depth: 1, fate: 'replaced' },
      ],
      answers: answered(),
    });
    expect(sent?.events).toEqual(['send.broadcast', ended]);
  });

  test('are paid once per request, and their events match the chain, on any sequence of steps', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        await live(life);
      }),
      { numRuns: 25 },
    );
  });
});
