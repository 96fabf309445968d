/** The commands of the miner: `pay COIN ADDRESS AMOUNT` and `mine COIN [BLOCKS]`. */
import { COINS, type Coin, mine, pay } from './chains.ts';

const USAGE = 'pay COIN ADDRESS AMOUNT, or mine COIN [BLOCKS]; COIN is BTC, LTC, ETH or SOL';
const MAX_BLOCKS = 1000;

function coinOf(text: string | undefined): Coin {
  const coin = COINS.find((known) => known === text?.toUpperCase());
  if (coin === undefined) throw new Error(USAGE);
  return coin;
}

async function run([command, coinText, ...rest]: readonly string[]): Promise<string> {
  const coin = coinOf(coinText);
  const [first, amount] = rest;
  if (command === 'pay' && first !== undefined && amount !== undefined) return pay(coin, first, amount);
  if (command !== 'mine' || rest.length > 1) throw new Error(USAGE);
  const blocks = first === undefined ? 1 : Number(first);
  if (!Number.isInteger(blocks) || blocks < 1 || blocks > MAX_BLOCKS) {
    throw new Error(`BLOCKS is a number from 1 to ${MAX_BLOCKS}`);
  }
  await mine(coin, blocks);
  return `${coin}: ${blocks} more`;
}

try {
  process.stdout.write(`${await run(process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
