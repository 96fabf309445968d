/** npm run chaos -- [--coin BTC,SOL] [--rounds 200] [--seed 1] [--verbose] | --kills 100. See README.md here. */
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { COINS } from '../../src/domain/coins.ts';
import { coinsOf } from './coins-of.ts';
import { killCampaign, WORLDS } from './kills.ts';
import { printTable } from './report.ts';

const { values } = parseArgs({
  options: {
    coin: { type: 'string' },
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    kills: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

const coins = coinsOf(values.coin ?? COINS.join());
if (values.kills !== undefined) {
  const worlds = values.coin === undefined ? WORLDS : coins;
  process.exit((await killCampaign(whole('kills'), worlds)).length > 0 ? 1 : 0);
}
const options = { seed: whole('seed'), rounds: whole('rounds'), isVerbose: values.verbose };
const tallies = await Promise.all(coins.map(async (coin) => runCampaign(coin, options)));
printTable(tallies);
process.exit(tallies.some(({ violations, broken }) => violations.length + broken > 0) ? 1 : 0);

function whole(name: 'seed' | 'rounds' | 'kills'): number {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`);
  return value;
}
