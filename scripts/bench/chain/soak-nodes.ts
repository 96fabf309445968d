import { fileURLToPath } from 'node:url';
import { parseAddress } from '../../../src/chains/utxo/address.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import type { PaymentJson } from '../../../test/_helpers/api-client.ts';
import { toAtoms } from '../../../test/_helpers/nodes/index.ts';
import { nextMessage, startNode } from '../harness/child.ts';
import type { Bench } from '../harness/question.ts';
import type { EthereumPayment } from './ethereum-node.ts';
import type { NodeStep } from './large-mempool-node.ts';
import type { SolanaStep } from './solana-node.ts';

export const MEMPOOL = 200_000;
/** New transactions in the mempool per second. */
const ADDED = 7;
/** Blocks of the size of the main network's, ten times as often; Solana's at its own pace. */
const BLOCK_MS = { BTC: 60_000, ETH: 1_200, SOL: 400 };
/** The ways in which payments are paid; `internal`: by a contract. */
export const WAYS = ['BTC', 'ETH', 'ETH internal', 'SOL'] as const;
export type Way = (typeof WAYS)[number];
export type Pay = (way: Way, payment: PaymentJson) => Promise<void>;

export interface Nodes {
  readonly env: Readonly<Record<string, string>>;
  readonly pay: Pay;
}

const script = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Nodes of three chains at the size of the main networks, each in its own process. @param minutes length of the run */
export async function startNodes(bench: Bench, minutes: number): Promise<Nodes> {
  const capacity = MEMPOOL + ADDED * 60 * (minutes + 10);
  const [bitcoin, ethereum, solana] = [
    startNode(bench, [script('large-mempool-node.ts'), String(capacity)]),
    startNode(bench, [script('ethereum-node.ts'), JSON.stringify({ traced: false, blockMs: BLOCK_MS.ETH })]),
    startNode(bench, [script('solana-node.ts')]),
  ] as const;
  const [{ port: btc }, { port: eth }, { url: solUrl }] = (await Promise.all(
    [bitcoin, ethereum, solana].map(nextMessage),
  )) as [{ port: number }, { port: number }, { url: string }];
  const tellBitcoin = (step: NodeStep): void => void bitcoin.process.send(step);
  tellBitcoin({ size: bench.quick ? 1_000 : MEMPOOL });
  const timers = [
    setInterval(() => tellBitcoin({ add: ADDED }), 1_000),
    setInterval(() => tellBitcoin({ mine: true }), BLOCK_MS.BTC),
  ];
  bench.onEnd(() => timers.forEach(clearInterval));
  solana.process.send({ tickMs: BLOCK_MS.SOL } satisfies SolanaStep);
  const pay: Pay = async (way, { options }) => {
    const { address, amount } = options[way === 'ETH internal' ? 'ETH' : way];
    if (way === 'BTC') tellBitcoin({ pay: scriptOf(address), amount: Number(toAtoms(amount)) });
    else if (way === 'SOL') {
      solana.process.send({ pay: address, amount: String(atoms(amount, 9)) } satisfies SolanaStep);
    } else {
      const payment = { pay: address, amount: `0x${atoms(amount, 18).toString(16)}` };
      ethereum.process.send({ ...payment, isInternal: way === 'ETH internal' } satisfies EthereumPayment);
    }
    return Promise.resolve();
  };
  return {
    pay,
    env: {
      TILLD_NETWORK: 'regtest',
      TILLD_ALLOW_PRIVATE_WEBHOOKS: 'on',
      TILLD_PAYMENT_LIFETIME_MINUTES: '1440',
      // Nothing settles on Ethereum, whose node accepts no transactions: nothing is swept.
      TILLD_CONFIRMATIONS_ETH: '1000',
      TILLD_BTC_RPC_URL: `http://u:p@127.0.0.1:${btc}`,
      TILLD_ETH_RPC_URL: `http://127.0.0.1:${eth}`,
      TILLD_SOL_RPC_URL: solUrl,
      TILLD_SOL_WS_URL: solUrl.replace('http:', 'ws:'),
    },
  };
}

function atoms(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function scriptOf(address: string): string {
  const parsed = parseAddress(UTXO_COINS.BTC, 'regtest', address);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return Buffer.from(parsed.script).toString('hex');
}
