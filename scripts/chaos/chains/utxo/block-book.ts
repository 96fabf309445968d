import { toAtoms, type NodeHandle } from './node.ts';

interface VerboseBlock {
  readonly hash: string;
  readonly height: number;
  readonly time: number;
  readonly tx: readonly {
    readonly txid: string;
    readonly vin: readonly { readonly txid?: string; readonly vout?: number }[];
    readonly vout: readonly {
      readonly value: string | number;
      readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[] };
    }[];
  }[];
}

export interface BookedBlock {
  readonly hash: string;
  readonly height: number;
  readonly timeMs: number;
  readonly txids: ReadonlySet<string>;
  /** Outpoints, as `txid:vout`. */
  readonly spent: ReadonlySet<string>;
  readonly paid: readonly { readonly address: string; readonly amount: bigint; readonly txid: string }[];
}

/** The blocks of a round, each read once from the real node. */
export class BlockBook {
  readonly #node: NodeHandle;
  readonly #read = new Map<string, BookedBlock>();
  /** Blocks up to this height were mined before the round. */
  readonly #floor: number;

  constructor(node: NodeHandle, floor: number) {
    this.#node = node;
    this.#floor = floor;
  }

  /** The best chain above a height, ascending. */
  async above(height: number): Promise<readonly BookedBlock[]> {
    const tip = await this.#node.tip();
    const blocks: BookedBlock[] = [];
    for (let at = Math.max(this.#floor, height) + 1; at <= tip.height; at += 1) {
      blocks.push(await this.byHash(await this.#node.blockHash(at)));
    }
    return blocks;
  }

  /** The best chain of the round. */
  async all(): Promise<readonly BookedBlock[]> {
    return this.above(this.#floor);
  }

  async byHash(hash: string): Promise<BookedBlock> {
    const known = this.#read.get(hash);
    if (known !== undefined) return known;
    const { height, time, tx } = await this.#node.rpc<VerboseBlock>('getblock', [hash, 2]);
    const block: BookedBlock = {
      hash,
      height,
      timeMs: time * 1000,
      txids: new Set(tx.map(({ txid }) => txid)),
      spent: new Set(tx.flatMap(({ vin }) => vin.map(({ txid, vout }) => `${txid}:${vout}`))),
      paid: tx.flatMap(({ txid, vout }) =>
        vout.flatMap(({ value, scriptPubKey }) => {
          const address = scriptPubKey.address ?? scriptPubKey.addresses?.[0];
          return address === undefined ? [] : [{ address, amount: toAtoms(String(value)), txid }];
        }),
      ),
    };
    this.#read.set(hash, block);
    return block;
  }
}
