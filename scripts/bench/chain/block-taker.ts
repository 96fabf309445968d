import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { BlockWorld, hashAnswer } from './block-world.ts';
import { costOfEach } from './spell.ts';

/**
 * Our side of the question what a block costs: a process with a shop, whose waiting payments are told to
 * the parent; the parent then names the files of blocks that pay them, one payment in each.
 */
const { watched, payments } = JSON.parse(process.argv[2] ?? '') as { watched: number; payments: number };
const world = await BlockWorld.open(watched);
process.once('SIGTERM', () => void world.close().then(() => process.exit()));
process.send?.({ tip: world.tip, scripts: await world.payees(payments) });
process.on('message', (blocks: readonly { readonly hash: string; readonly file: string }[]) => {
  void take(blocks);
});

async function take(blocks: readonly { readonly hash: string; readonly file: string }[]): Promise<void> {
  const ready = blocks.map(({ hash, file }) => ({
    hash,
    answers: [hashAnswer(hash), bytesOf(file)],
  }));
  const cost = await costOfEach(
    ready.map((block) => async () => {
      const credits = await world.take(block);
      if (credits !== 1) throw new Error(`${credits} payments were found, not 1`);
    }),
  );
  process.send?.(cost);
}

/** A file's bytes and nothing beside them: what is left behind here would be collected while a block is taken. */
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
