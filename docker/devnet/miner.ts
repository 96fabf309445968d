/** Funds a miner on the Bitcoin and Litecoin nodes, then mines a block on each every few seconds. */
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '../../test/_helpers/nodes/json-rpc.ts';
import { MINER_WALLET } from '../../test/_helpers/nodes/node-handle.ts';
import { mine, type UtxoCoin, utxoNode } from './chains.ts';
import { numberFrom } from './environment.ts';

/** Coinbases mature at 100; the others are spendable at once, 50 coins each. */
const FIRST_BLOCKS = 120;
const ALREADY_LOADED = -35;
const MINING_FILE = '/tmp/mining';
const UTXO_COINS: readonly UtxoCoin[] = ['BTC', 'LTC'];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** By default the node does not load a wallet again after a restart; the wallet itself persists. */
async function openWallet(coin: UtxoCoin): Promise<void> {
  const node = utxoNode(coin);
  const { wallets } = await node.rpc<{ wallets: { name: string }[] }>('listwalletdir');
  const isThere = wallets.some(({ name }) => name === MINER_WALLET);
  try {
    if (isThere) await node.rpc('loadwallet', [MINER_WALLET]);
    else await node.rpc('createwallet', { wallet_name: MINER_WALLET, load_on_startup: true });
  } catch (error) {
    const isLoaded =
      error instanceof RpcError && (error.code === ALREADY_LOADED || /already loaded/.test(error.message));
    if (!isLoaded) throw error;
  }
}

async function fund(coin: UtxoCoin): Promise<void> {
  await openWallet(coin);
  const node = utxoNode(coin);
  const { height } = await node.tip();
  if (height < FIRST_BLOCKS) await mine(coin, FIRST_BLOCKS - height);
  say(
    `${coin}: height ${(await node.tip()).height}, the miner has ${await node.walletRpc<string>('getbalance')}`,
  );
}

/** One block; an unreachable node is retried with the next one. */
async function mineOne(coin: UtxoCoin): Promise<void> {
  try {
    await mine(coin, 1);
  } catch (error) {
    say(`${coin}: ${error instanceof Error ? error.message : String(error)}`);
    await openWallet(coin).catch(() => undefined);
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
const everyMs = numberFrom('MINE_EVERY_SECONDS', 5) * 1000;
await Promise.all(UTXO_COINS.map(fund));
writeFileSync(MINING_FILE, '');
say(`a block every ${everyMs / 1000} s`);
for (;;) {
  await delay(everyMs);
  await Promise.all(UTXO_COINS.map(mineOne));
}
