import { expect, it } from 'vitest';
import { ChainError } from '../../../../src/domain/chain.ts';
import type { Block } from '../../../../src/chains/ethereum/rpc/node-answers.ts';
import type { NodeClient } from '../../../../src/chains/ethereum/rpc/node-client.ts';
import { createTracer } from '../../../../src/chains/ethereum/blocks/traces.ts';
import { silent } from '../../../_helpers/wallet-world.ts';
import { measureCpuMs } from '../../../_helpers/timing/cpu-time.ts';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => `0x${letter.repeat(40)}`);
const hash = (digit: number): string => `0x${String(digit).repeat(64)}`;
const transaction = (digit: number) => ({ hash: hash(digit), from: A!, to: B!, value: 0n, nonce: digit });
const block: Block = {
  number: 5,
  hash: hash(5),
  parentHash: hash(4),
  timestamp: 1,
  transactions: [transaction(1), transaction(2)],
};

function tracerOn(answers: Record<string, unknown>, asked: string[] = []) {
  let nowMs = 0;
  const client: Pick<NodeClient, 'trace'> = {
    trace: async (method) => {
      asked.push(method);
      const answer = answers[method];
      if (answer instanceof Error) throw answer;
      return answer === undefined ? null : { answer };
    },
  };
  const tracer = createTracer({ client, clock: { now: () => nowMs }, logger: silent });
  return { tracer, asked, advance: (ms: number) => (nowMs += ms) };
}

const call = (to: string, value: string, more: object = {}) => ({ type: 'CALL', to, value, ...more });

it('createTracer lists calls, creations and self-destructs that carry value, in order, and never delegate calls', async () => {
  const root = {
    ...call(B!, '0x5'),
    calls: [
      call(C!, '0x1'),
      { type: 'DELEGATECALL', to: A!, value: '0x9', calls: [call(A!, '0x2')] },
      { type: 'STATICCALL', to: A! },
      call(A!, '0x0'),
      { type: 'CREATE2', to: B!, value: '0x3' },
      { type: 'SELFDESTRUCT', to: C!.toUpperCase().replace('0X', '0x'), value: '0x4' },
    ],
  };
  const empty = call(B!, '0x0');
  const { tracer } = tracerOn({ debug_traceBlockByHash: [{ result: empty }, { result: root }] });
  expect(await tracer.transfers(block)).toEqual([
    { position: 1, index: 1, to: C, value: 1n },
    { position: 1, index: 2, to: A, value: 2n },
    { position: 1, index: 3, to: B, value: 3n },
    { position: 1, index: 4, to: C, value: 4n },
  ]);
});

it('createTracer ignores everything below a reverted call, whose children carry no error', async () => {
  const reverted = call(B!, '0x5', { error: 'execution reverted', calls: [call(C!, '0x1')] });
  const root = { ...call(B!, '0x0'), calls: [reverted, call(A!, '0x7')] };
  const { tracer } = tracerOn({
    debug_traceBlockByHash: [{ result: root }, { result: { ...root, error: 'out of gas' } }],
  });
  expect(await tracer.transfers(block)).toEqual([{ position: 0, index: 2, to: A, value: 7n }]);
});

const flat = (at: number[], to: string, value: string, more: object = {}) => ({
  type: 'call',
  action: { callType: 'call', to, value },
  blockHash: block.hash,
  transactionHash: hash(1),
  transactionPosition: 0,
  traceAddress: at,
  ...more,
});
/** The trace of the second transaction itself. */
const second = flat([], B!, '0x0', { transactionHash: hash(2), transactionPosition: 1 });

it('createTracer reads the flat traces of Parity with the same result as nested ones', async () => {
  const traces = [
    flat([], B!, '0x9'),
    flat([0], C!, '0x1', { error: 'Reverted' }),
    flat([0, 0], C!, '0x2'),
    flat([1], A!, '0x3'),
    { ...flat([2], A!, '0x4'), action: { callType: 'delegatecall', to: A!, value: '0x4' } },
    second,
    { ...second, type: 'suicide', action: { refundAddress: C!, balance: '0x5' }, traceAddress: [0] },
    { type: 'reward', action: { value: '0x6' }, traceAddress: [], blockHash: block.hash },
  ];
  const { tracer } = tracerOn({ trace_block: traces });
  expect(await tracer.transfers(block)).toEqual([
    { position: 0, index: 3, to: A, value: 3n },
    { position: 1, index: 1, to: C, value: 5n },
  ]);
});

it('createTracer refuses the trace of another block', async () => {
  const other = [
    { txHash: hash(3), result: call(A!, '0x1') },
    { txHash: hash(2), result: call(A!, '0x1') },
  ];
  for (const traces of [other, other.slice(1)]) {
    const { tracer } = tracerOn({ debug_traceBlockByHash: traces });
    await expect(tracer.transfers(block)).rejects.toThrow(ChainError);
  }
});

it.each([
  ['of another block at that height', { blockHash: hash(6) }],
  ['of another transaction in its place', { transactionHash: hash(9) }],
])('createTracer refuses a flat trace %s', async (_, other) => {
  const { tracer } = tracerOn({ trace_block: [flat([], B!, '0x0'), flat([0], C!, '0x1', other), second] });
  await expect(tracer.transfers(block)).rejects.toThrow('another block');
});

it.each([
  ['debug_traceBlockByHash', null],
  ['debug_traceBlockByHash', []],
  ['trace_block', null],
  ['trace_block', []],
])(
  'createTracer treats %s answering %j as a backend that lacks the block, not as a block without transfers',
  async (method, answer) => {
    const { tracer, asked } = tracerOn({ [method]: answer });
    await expect(tracer.transfers(block)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(tracer.transfers(block)).rejects.toThrow(ChainError);
    // It is asked again at once: such an answer is none about the method.
    expect(asked.filter((each) => each === method)).toHaveLength(2);
  },
);

it('createTracer does not request the trace of a block twice', async () => {
  const { tracer, asked } = tracerOn({ trace_block: [flat([], B!, '0x0'), flat([0], C!, '0x1'), second] });
  const found = await tracer.transfers(block);
  expect(await tracer.transfers(block)).toEqual(found);
  expect(asked).toEqual(['debug_traceBlockByHash', 'trace_block']);
});

it('createTracer stops tracing for a while when the node does not support traces, and requests none for empty blocks', async () => {
  const { tracer, asked, advance } = tracerOn({});
  expect(await tracer.transfers({ ...block, transactions: [] })).toEqual([]);
  expect(await tracer.transfers(block)).toBeNull();
  expect(await tracer.transfers(block)).toBeNull();
  expect(asked).toEqual(['debug_traceBlockByHash', 'trace_block']);
  advance(3_600_000);
  await tracer.transfers(block);
  expect(asked).toHaveLength(4);
});

it('createTracer reads a hundred thousand failed calls of one transaction without blocking the event loop', async () => {
  const failed = Array.from({ length: 100_000 }, (_, at) => flat([at], C!, '0x1', { error: 'Reverted' }));
  const paid = flat([100_000], A!, '0x2');
  const { tracer } = tracerOn({ trace_block: [flat([], B!, '0x0'), ...failed, paid, second] });
  const cpuMs = await measureCpuMs(async () => {
    expect(await tracer.transfers(block)).toEqual([{ position: 0, index: 100_001, to: A, value: 2n }]);
  });
  // Each against each would take minutes.
  expect(cpuMs).toBeLessThan(10_000);
});

/** Calls nested deeper than any stack can follow. */
function nested(depth: number): object {
  let frame = call(A!, '0x1');
  for (let at = 0; at < depth; at += 1) frame = call(A!, '0x1', { calls: [frame] });
  return frame;
}

const untraceable = {
  'nested too deep': [{ result: nested(50_000) }, { result: call(A!, '0x1') }],
  'with an amount that is none': [
    { result: call(A!, '0x1', { calls: [call(B!, '0x')] }) },
    { result: call(A!, '0x1') },
  ],
  'larger than accepted': new ChainError('bad_answer', 'the answer is larger than allowed'),
  'beyond what the node does in time': new ChainError('unavailable', 'execution timeout'),
  'without one of its transactions': [{ result: call(A!, '0x1') }, { error: 'execution timeout' }],
};
for (const [what, answer] of Object.entries(untraceable)) {
  it(`createTracer continues without a trace ${what} after three attempts, and traces the next block again`, async () => {
    const answers: Record<string, unknown> = { debug_traceBlockByHash: answer };
    const { tracer } = tracerOn(answers);
    await expect(tracer.transfers(block)).rejects.toThrow(ChainError);
    await expect(tracer.transfers(block)).rejects.toThrow(ChainError);
    expect(await tracer.transfers(block)).toBeNull();
    const next = { ...block, hash: hash(6), number: 6 };
    await expect(tracer.transfers(next)).rejects.toThrow(ChainError);
    answers.debug_traceBlockByHash = [{ result: call(A!, '0x1') }, { result: call(A!, '0x1') }];
    expect(await tracer.transfers(next)).toEqual([]);
  });
}

const blockAt = (height: number): Block => ({ ...block, hash: hash(height), number: height });

it('createTracer attempts each block only once after three blocks in a row failed, until a trace succeeds', async () => {
  const answers: Record<string, unknown> = {
    debug_traceBlockByHash: new ChainError('unavailable', 'required historical state unavailable'),
  };
  const { tracer, asked } = tracerOn(answers);
  const triesUntilRead = async (height: number): Promise<number> => {
    const before = asked.length;
    while ((await tracer.transfers(blockAt(height)).catch(() => 'again')) === 'again');
    return asked.length - before;
  };
  const tries: number[] = [];
  for (let height = 1; height <= 5; height += 1) tries.push(await triesUntilRead(height));
  expect(tries).toEqual([3, 3, 3, 1, 1]);
  const failing = answers['debug_traceBlockByHash'];
  answers['debug_traceBlockByHash'] = [{ result: call(A!, '0x1') }, { result: call(A!, '0x1') }];
  expect(await tracer.transfers(blockAt(6))).toEqual([]);
  answers['debug_traceBlockByHash'] = failing;
  expect(await triesUntilRead(7)).toBe(3);
});

const another = (number: number): Block => ({ ...block, number, hash: hash(number) });

it('createTracer retries a missing trace method after ten minutes, and immediately after the clock was set back', async () => {
  const { tracer, asked, advance } = tracerOn({});
  await tracer.transfers(another(1));
  const first = asked.length;
  await tracer.transfers(another(2));
  expect(asked).toHaveLength(first);
  advance(-24 * 3_600_000);
  await tracer.transfers(another(3));
  expect(asked).toHaveLength(2 * first);
  advance(10 * 60_000);
  await tracer.transfers(another(4));
  expect(asked).toHaveLength(3 * first);
});
