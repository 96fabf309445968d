/** The nodes of docker compose for the miner. Amounts are decimals of the coin, never floats. */
import { readFileSync } from 'node:fs';
import { payByWallet } from '../../test/_helpers/nodes/core-client.ts';
import { post, RpcError } from '../../test/_helpers/nodes/json-rpc.ts';
import { NodeHandle } from '../../test/_helpers/nodes/node-handle.ts';
import { urlFrom } from './environment.ts';

export const COINS = ['BTC', 'LTC', 'ETH', 'SOL'] as const;
export type Coin = (typeof COINS)[number];
export type UtxoCoin = 'BTC' | 'LTC';

const ETH_DECIMALS = 18;
const SOL_DECIMALS = 9;
/** Chains that other processes mine: longest wait of `mine`. */
const BLOCK_PATIENCE_MS = 120_000;
const POLL_MS = 200;

/**
 * A Bitcoin or Litecoin node. The credentials are read for each call, because they change when it restarts.
 */
export function utxoNode(coin: UtxoCoin): NodeHandle {
  const url = new URL(urlFrom(`${coin}_RPC`));
  const [user = '', password = ''] = readFileSync(`/rpc/${coin.toLowerCase()}/cookie`, 'utf8').split(':');
  url.username = user;
  url.password = password;
  const rpcUrl = url.href.replace(/\/$/, '');
  return new NodeHandle({ coin, rpcUrl, dataDir: '', pid: 0, mweb: false });
}

async function call<T>(coin: 'ETH' | 'SOL', method: string, params: readonly unknown[]): Promise<T> {
  const request = { jsonrpc: '2.0', id: 1, method, params };
  const { text } = await post(urlFrom(`${coin}_RPC`), JSON.stringify(request));
  const reply = JSON.parse(text) as { result?: T; error?: { code: number; message: string } };
  if (reply.error !== undefined) throw new RpcError(method, reply.error.code, reply.error.message);
  return reply.result as T;
}

/** Pays an address. Returns the transaction id. */
export async function pay(coin: Coin, address: string, amount: string): Promise<string> {
  switch (coin) {
    case 'BTC':
    case 'LTC':
      return payByWallet(utxoNode(coin).rpcUrl, address, amount);
    case 'ETH':
      return payEther(address, atomsOf(amount, ETH_DECIMALS));
    case 'SOL':
      return drop(address, atomsOf(amount, SOL_DECIMALS));
    default:
      return assertNever(coin);
  }
}

/** From the first of the prefunded accounts whose keys the node has. */
async function payEther(to: string, wei: bigint): Promise<string> {
  const [from] = await call<string[]>('ETH', 'eth_accounts', []);
  return call('ETH', 'eth_sendTransaction', [{ from, to, value: `0x${wei.toString(16)}` }]);
}

async function drop(address: string, lamports: bigint): Promise<string> {
  if (lamports > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('the faucet gives less than that');
  return call('SOL', 'requestAirdrop', [address, Number(lamports)]);
}

/** Mines blocks at once; waits for Solana's own blocks. */
export async function mine(coin: Coin, blocks: number): Promise<void> {
  switch (coin) {
    case 'BTC':
    case 'LTC': {
      const node = utxoNode(coin);
      await node.mine(blocks, await node.newAddress());
      return;
    }
    case 'ETH':
      await call('ETH', 'anvil_mine', [`0x${blocks.toString(16)}`]);
      return;
    case 'SOL':
      await waitForSlots(blocks);
      return;
    default:
      assertNever(coin);
  }
}

async function waitForSlots(slots: number): Promise<void> {
  const wanted = (await newestSlot()) + slots;
  const deadline = Date.now() + BLOCK_PATIENCE_MS;
  while ((await newestSlot()) < wanted) {
    if (Date.now() > deadline) throw new Error(`no ${slots} slots in ${BLOCK_PATIENCE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function assertNever(coin: never): never {
  throw new Error(`unknown coin ${String(coin)}`);
}

async function newestSlot(): Promise<number> {
  return call<number>('SOL', 'getSlot', [{ commitment: 'processed' }]);
}

function atomsOf(amount: string, decimals: number): bigint {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(amount);
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || fraction.length > decimals) {
    throw new Error(`an amount is positive with up to ${decimals} decimals, not '${amount}'`);
  }
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
