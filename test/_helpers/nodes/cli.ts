/** The commands of scripts/nodes that need running nodes. Data goes to stdout, remarks to stderr. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { toAtoms, toDecimal } from './amounts.ts';
import { NODE_COINS, type NodeCoin } from './coins.ts';
import type { NodeHandle } from './node-handle.ts';
import { RunDirectory } from './run-state.ts';

const MAX_BLOCKS = 1000;

class UsageError extends Error {}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function remark(line: string): void {
  process.stderr.write(`${line}\n`);
}

function parseCoin(text: string | undefined): NodeCoin {
  const coin = NODE_COINS.find((known) => known === text?.toUpperCase());
  if (coin === undefined) throw new UsageError(`which coin? btc or ltc, not '${text ?? ''}'`);
  return coin;
}

function parseCount(text: string | undefined, fallback: number, what: string): number {
  if (text === undefined) return fallback;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MAX_BLOCKS) {
    throw new UsageError(`${what} is a number from 1 to ${MAX_BLOCKS}, not '${text}'`);
  }
  return count;
}

function parseAmount(text: string | undefined): bigint {
  if (text === undefined || !/^\d+(\.\d{1,8})?$/.test(text) || toAtoms(text) === 0n) {
    throw new UsageError(`an amount is positive with up to eight decimals, not '${text ?? ''}'`);
  }
  return toAtoms(text);
}

function runningNode(runs: RunDirectory, coinText: string | undefined): NodeHandle {
  const coin = parseCoin(coinText);
  const node = runs.running(coin);
  if (node === null) throw new UsageError(`the ${coin} node is not running: scripts/nodes start`);
  return node;
}

function chosenCoins(texts: readonly string[]): readonly NodeCoin[] {
  return texts.length === 0 ? NODE_COINS : texts.map(parseCoin);
}

async function start(runs: RunDirectory, coins: readonly NodeCoin[]): Promise<void> {
  for (const coin of coins) {
    const node = await runs.start(coin);
    const { height } = await node.tip();
    remark(`${coin} regtest node: pid ${node.pid}, height ${height}`);
    say(`export TILLD_${coin}_RPC_URL='${node.rpcUrl}'`);
  }
  say("export TILLD_NETWORK='regtest'");
}

async function stop(runs: RunDirectory, coins: readonly NodeCoin[], wipe: boolean): Promise<void> {
  for (const coin of coins) {
    remark((await runs.stop(coin)) ? `${coin} node stopped` : `${coin} node was not running`);
    if (wipe) runs.wipe(coin);
  }
}

async function status(runs: RunDirectory): Promise<void> {
  for (const coin of NODE_COINS) {
    const node = runs.running(coin);
    if (node === null) {
      say(`${coin}  stopped`);
      continue;
    }
    const { height } = await node.tip();
    const waiting = (await node.getMempool()).length;
    const balance = toDecimal(await node.balance());
    say(`${coin}  pid ${node.pid}  height ${height}  mempool ${waiting}  miner ${balance}`);
    say(`     TILLD_${coin}_RPC_URL=${node.rpcUrl}`);
  }
}

async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      dir: { type: 'string' },
      wipe: { type: 'boolean', default: false },
      'no-rbf': { type: 'boolean', default: false },
    },
  });
  const [command, ...rest] = positionals;
  const runs = new RunDirectory(resolve(values.dir ?? '.nodes'));
  switch (command ?? '') {
    case 'start':
      return start(runs, chosenCoins(rest));
    case 'stop':
      return stop(runs, chosenCoins(rest), values.wipe);
    case 'status':
      return status(runs);
    case 'mine': {
      const node = runningNode(runs, rest[0]);
      const hashes = await node.mine(parseCount(rest[1], 1, 'how many blocks to mine'), rest[2]);
      return say(hashes.at(-1) ?? '');
    }
    case 'pay': {
      const node = runningNode(runs, rest[0]);
      const amountAtoms = parseAmount(rest[2]);
      return say(await node.pay({ address: rest[1] ?? '', amountAtoms, rbf: !values['no-rbf'] }));
    }
    case 'reorg': {
      const node = runningNode(runs, rest[0]);
      const result = await node.reorg({ depth: parseCount(rest[1], 1, 'how deep') });
      return say(result.connected.at(-1) ?? '');
    }
    default:
      throw new UsageError(`unknown command '${command ?? ''}': see scripts/nodes --help`);
  }
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const known =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  remark(`nodes: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = known === true ? 2 : 1;
}
