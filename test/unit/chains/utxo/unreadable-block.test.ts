import { expect, it } from 'vitest';
import { reduceBlock } from '../../../../src/chains/utxo/blocks/read-block.ts';
import { NO_ACCOUNTS } from '../../../_helpers/no-accounts.ts';
import { blockOf, COINBASE, opened } from './raw-chain.ts';

const index = {
  ...NO_ACCOUNTS,
  watched: async () => new Set<string>(),
  ownOutputs: async () => new Set<string>(),
};

it.each([
  ['bad_answer', 'if that lasts, use another node', (bytes: Buffer) => bytes.subarray(0, -1)],
  [
    'unknown_version',
    'install a newer release',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 85), Buffer.from([0, 0x40]), bytes.subarray(85)]),
  ],
])(
  'reduceBlock names a block that fails with %s, announces a retry, and suggests a remedy',
  async (kind, remedy, spoil) => {
    const block = opened(blockOf([COINBASE]));
    const read = reduceBlock({ index, coin: { hasMweb: false } }, 812_345, {
      ...block,
      bytes: spoil(block.bytes),
    });
    const error = await read.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind });
    expect(String(error)).toContain(
      `block 812345 (${block.hash}) cannot be read and is retried; blocks after it wait`,
    );
    expect(String(error)).toContain(remedy);
  },
);
