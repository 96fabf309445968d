import { parentPort } from 'node:worker_threads';
import { ChainError, type ChainErrorKind } from '../../domain/chain.ts';
import { type FlatBlock, openHexBlock } from './block.ts';
import { type PieceRoots, ProofShare } from './block-proof.ts';

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
  /** See ProofShare: whoever gave the order may take pieces, too. */
  readonly claims: Int32Array<SharedArrayBuffer>;
}

/** A block is told twice: taken apart, and hashed. Or, once, what is wrong with it. */
export type BlockNews =
  | { readonly kind: 'read'; readonly block: FlatBlock }
  | { readonly kind: 'hashed'; readonly roots: PieceRoots }
  | { readonly kind: 'problem'; readonly error: ChainErrorKind; readonly message: string };

/** When a text of megabytes is given back. */
const GIVE_BACK_MS = 50;

function tell(news: BlockNews, handedOver: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(news, handedOver);
}

/** Anything but a ChainError ends the thread: whoever waits learns of it and tries again. */
parentPort?.on('message', ({ raw, claims, ...expected }: ThreadOrder) => {
  try {
    const { block, hashable } = openHexBlock(raw, expected);
    // Whoever asked can look for payments in it while its transactions are hashed.
    tell({ kind: 'read', block }, [block.bytes.buffer]);
    const share = new ProofShare(hashable, claims);
    share.finish();
    tell({ kind: 'hashed', roots: share.roots });
    // Here, and not by the collector, which would collect more often for them; giving back megabytes holds the other
    // threads up, and whoever asked is about to commit.
    setTimeout(() => raw.buffer.transfer(0), GIVE_BACK_MS);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    tell({ kind: 'problem', error: error.kind, message: error.message });
  }
});
