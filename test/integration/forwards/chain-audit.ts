/** What the blocks of a node say about deposits and the transactions that spend them. */
import { toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';

interface BlockTx {
  readonly txid: string;
  readonly weight: number;
  readonly vin: readonly { readonly txid?: string; readonly vout?: number }[];
  readonly vout: readonly {
    readonly n: number;
    readonly value: string;
    readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[] };
  }[];
}

/** A transaction that spends deposits or change of them. Atoms. */
export interface Spend {
  readonly txid: string;
  readonly inputs: number;
  readonly weight: number;
  readonly fee: bigint;
  /** What it pays to cold storage, by address. */
  readonly paid: ReadonlyMap<string, bigint>;
}

export interface ChainAudit {
  readonly deposits: { readonly count: number; readonly sum: bigint };
  readonly spends: readonly Spend[];
  /** Deposits and change that no block spends, atoms. */
  readonly left: bigint;
}

export interface Wallets {
  /** Addresses of payments. */
  readonly deposits: ReadonlySet<string>;
  readonly cold: ReadonlySet<string>;
}

/**
 * Follows the money through all blocks above a height. An output of a spend that is not for cold storage is change.
 */
export async function auditChain(
  node: RegtestNode,
  above: number,
  { deposits, cold }: Wallets,
): Promise<ChainAudit> {
  const unspent = new Map<string, bigint>();
  const spends: Spend[] = [];
  const received = { count: 0, sum: 0n };
  const { height: tip } = await node.tip();
  for (let height = above + 1; height <= tip; height += 1) {
    const block = await node.rpc<{ tx: BlockTx[] }>('getblock', [await node.blockHash(height), 2]);
    for (const tx of block.tx) {
      const inputs = takeInputs(tx, unspent);
      const paid = new Map<string, bigint>();
      let out = 0n;
      for (const { n, value, scriptPubKey } of tx.vout) {
        const address = scriptPubKey.address ?? scriptPubKey.addresses?.[0] ?? '';
        const atoms = toAtoms(value);
        out += atoms;
        if (cold.has(address)) paid.set(address, (paid.get(address) ?? 0n) + atoms);
        else if (inputs.length > 0 || deposits.has(address)) unspent.set(`${tx.txid}:${n}`, atoms);
        if (inputs.length > 0 || !deposits.has(address)) continue;
        received.count += 1;
        received.sum += atoms;
      }
      if (inputs.length === 0) continue;
      if (inputs.length !== tx.vin.length) throw new Error(`${tx.txid} spends money of others`);
      const { txid, weight } = tx;
      spends.push({ txid, weight, inputs: inputs.length, fee: sum(inputs) - out, paid });
    }
  }
  return { deposits: received, spends, left: sum([...unspent.values()]) };
}

function takeInputs({ vin }: BlockTx, unspent: Map<string, bigint>): bigint[] {
  return vin.flatMap(({ txid = '', vout = -1 }) => {
    const key = `${txid}:${vout}`;
    const atoms = unspent.get(key);
    unspent.delete(key);
    return atoms === undefined ? [] : [atoms];
  });
}

/** Atoms at a descriptor or an address by the node's set of unspent outputs, and the number of its outputs. */
export async function scanUnspent(
  node: RegtestNode,
  destination: string,
): Promise<{ readonly atoms: bigint; readonly count: number }> {
  const scanned = destination.includes('(') ? { desc: destination, range: 1_000 } : `addr(${destination})`;
  const { unspents } = await node.rpc<{ unspents: { amount: string }[] }>('scantxoutset', [
    'start',
    [scanned],
  ]);
  return { atoms: sum(unspents.map(({ amount }) => toAtoms(amount))), count: unspents.length };
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
