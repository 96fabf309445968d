/** Bitcoin Core's usual client from Node: nothing of it is ours, so what it reads checks what we read. */
import BitcoinCore from 'bitcoin-core';
import { MINER_WALLET } from './node-handle.ts';

const ATOMS_PER_COIN = 100_000_000;
const ADDRESS_FEE_RATE = 20;

/** A client of the node at `http://user:pass@host:port`, in the miner's wallet. */
function coreClient(rpcUrl: string): BitcoinCore {
  const { origin, username, password } = new URL(rpcUrl);
  return new BitcoinCore({ host: origin, username, password, wallet: MINER_WALLET });
}

/** Pays an address from the miner's wallet; `amount` is a decimal of the coin. Answers the transaction's id. */
export async function payByWallet(rpcUrl: string, address: string, amount: string): Promise<string> {
  // Up to the fee rate in atoms per vB: comments, fee not subtracted, replaceable, no estimate, reuse allowed.
  const options = ['', '', false, true, null, 'unset', false, ADDRESS_FEE_RATE];
  return coreClient(rpcUrl).command<string>('sendtoaddress', address, amount, ...options);
}

export interface BlockByCore {
  readonly hash: string;
  readonly parentHash: string;
  readonly outputs: readonly { txid: string; index: number; address: string; amount: bigint }[];
  readonly inputs: readonly { txid: string; index: number; byTxid: string }[];
}

interface VerboseBlock {
  readonly hash: string;
  readonly previousblockhash: string;
  readonly tx: readonly {
    readonly txid: string;
    readonly vin: readonly { readonly txid?: string; readonly vout?: number }[];
    readonly vout: readonly {
      readonly n: number;
      readonly value: number | string;
      /** `addresses` in Litecoin Core, which is older. */
      readonly scriptPubKey: { readonly address?: string; readonly addresses?: readonly string[] };
    }[];
  }[];
}

/** A block as that client reads it. Its amounts are floats, which are exact to the atom below 90 million coins. */
export async function blockByCore(rpcUrl: string, height: number): Promise<BlockByCore> {
  const client = coreClient(rpcUrl);
  const hash = await client.command<string>('getblockhash', height);
  const block = await client.command<VerboseBlock>('getblock', hash, 2);
  return {
    hash: block.hash,
    parentHash: block.previousblockhash,
    outputs: block.tx.flatMap(({ txid, vout }) =>
      vout.map(({ n, value, scriptPubKey: { address, addresses } }) => ({
        txid,
        index: n,
        address: address ?? addresses?.[0] ?? '',
        amount: BigInt(Math.round(Number(value) * ATOMS_PER_COIN)),
      })),
    ),
    inputs: block.tx.flatMap(({ txid: byTxid, vin }) =>
      vin.flatMap(({ txid, vout }) =>
        txid === undefined || vout === undefined ? [] : [{ txid, index: vout, byTxid }],
      ),
    ),
  };
}
