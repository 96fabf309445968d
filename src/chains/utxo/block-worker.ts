import { parentPort } from 'node:worker_threads';
import { ChainError, type ChainErrorKind } from '../../domain/chain.ts';
import { bytesOfHex, scanBlock } from './block.ts';
import { packBlock, type PackedBlock } from './packed-block.ts';

/** A raw block (hex) to be proven. */
export interface BlockOrder {
  readonly raw: string;
  readonly hash: string;
  readonly mweb: boolean;
}

export type BlockVerdict =
  | { readonly block: PackedBlock }
  | { readonly problem: { readonly kind: ChainErrorKind; readonly message: string } };

/** Anything but a ChainError ends the thread: whoever waits learns of it and tries again. */
parentPort?.on('message', ({ raw, hash, mweb }: BlockOrder) => {
  try {
    const block = packBlock(scanBlock(bytesOfHex(raw), hash, mweb));
    const verdict: BlockVerdict = { block };
    parentPort?.postMessage(verdict, [block.bytes.buffer, block.ids.buffer, block.layout.buffer]);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const { kind, message } = error;
    const verdict: BlockVerdict = { problem: { kind, message } };
    parentPort?.postMessage(verdict);
  }
});
