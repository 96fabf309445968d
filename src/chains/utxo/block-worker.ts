import { parentPort } from 'node:worker_threads';
import { ChainError, type ChainErrorKind } from '../../domain/chain.ts';
import { type FlatBlock, openHexBlock } from './block.ts';

/** A raw block to be proven. */
export interface BlockOrder {
  /** The characters of its hex; a large one's memory goes to the thread that proves it, and is given back there. */
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly hash: string;
  readonly mweb: boolean;
}

export interface ThreadOrder extends BlockOrder {
  /** Memory of an earlier block, to be used again. */
  readonly room: ArrayBuffer | null;
}

/** A block is told twice: taken apart, and proven. Or, once, what is wrong with it. */
export type BlockNews =
  | { readonly kind: 'read'; readonly block: FlatBlock }
  | { readonly kind: 'proven' }
  | { readonly kind: 'problem'; readonly error: ChainErrorKind; readonly message: string };

function tell(news: BlockNews, handedOver: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(news, handedOver);
}

/** Anything but a ChainError ends the thread: whoever waits learns of it and tries again. */
parentPort?.on('message', ({ raw, ...expected }: ThreadOrder) => {
  try {
    const { block, prove } = openHexBlock(raw, expected);
    // Whoever asked can look for payments in it while its transactions are hashed.
    tell({ kind: 'read', block }, [block.bytes.buffer]);
    prove();
    tell({ kind: 'proven' });
    // Now, and here: giving back megabytes takes a while, and leaving it to the collector makes it collect for them.
    raw.buffer.transfer(0);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    tell({ kind: 'problem', error: error.kind, message: error.message });
  }
});
