import { parentPort } from 'node:worker_threads';
import { ChainError, type ChainErrorKind } from '../../domain/chain.ts';
import { type FlatBlock, scanHexBlock } from './block.ts';

/** A raw block to be proven. */
export interface BlockOrder {
  /** The characters of its hex; a large one's memory goes to the thread that proves it. */
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly hash: string;
  readonly mweb: boolean;
}

export type BlockVerdict =
  | { readonly block: FlatBlock }
  | { readonly problem: { readonly kind: ChainErrorKind; readonly message: string } };

/** Anything but a ChainError ends the thread: whoever waits learns of it and tries again. */
parentPort?.on('message', ({ raw, hash, mweb }: BlockOrder) => {
  try {
    const block = scanHexBlock(raw, hash, mweb);
    const verdict: BlockVerdict = { block };
    parentPort?.postMessage(verdict, [block.bytes.buffer, block.table.rows.buffer]);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const { kind, message } = error;
    const verdict: BlockVerdict = { problem: { kind, message } };
    parentPort?.postMessage(verdict);
  }
});
