import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { BlockWorld, hashAnswer } from './block-world.ts';
import { costOfEach } from './spell.ts';

/**
 * Our side of the block benchmarks: a process with a shop that reports its pending payments to the parent; the parent
 * then names the files of blocks that pay them, one payment in each.
 */
const { watched, payments } = JSON.parse(process.argv[2] ?? '') as { watched: number; payments: number };
const world = await BlockWorld.open(watched);
process.once('SIGTERM', () => void world.close().then(() => process.exit()));
process.send?.({ tip: world.tip, scripts: await world.payees(payments) });
process.on('message', (blocks: readonly NamedBlock[]) => {
  void take(blocks);
});

interface NamedBlock {
  readonly hash: string;
  /** File of the node's response. */
  readonly file: string;
  /** Number of blocks before it. */
  readonly at: number;
}

async function take(blocks: readonly NamedBlock[]): Promise<void> {
  const ready = blocks.map(({ hash, file, at }) => ({
    hash,
    answers: [hashAnswer(hash, at), bytesOf(file)],
  }));
  const cost = await costOfEach(
    ready.map((block) => async () => {
      const credits = await world.take(block);
      if (credits !== 1) throw new Error(`${credits} payments were found, not 1`);
    }),
  );
  process.send?.(cost);
}

/** Reads a file without allocating more, because that garbage would be collected while a block is processed. */
function bytesOf(file: string): Uint8Array<ArrayBuffer> {
  const fd = openSync(file, 'r');
  try {
    const bytes = new Uint8Array(fstatSync(fd).size);
    readSync(fd, bytes);
    return bytes;
  } finally {
    closeSync(fd);
  }
}
