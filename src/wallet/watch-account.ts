import { UTXO_COINS, isUtxoCoin, type Network } from '../domain/coins.ts';
import type { UtxoCoin } from '../domain/coins/definition.ts';
import { addressNetwork, type ReadWatchAccount, type WatchAccountKeys } from '../domain/keys.ts';
import {
  addressAt,
  formatScript,
  type KeyExpression,
  openBranch,
  type Problem,
  readScript,
  type Script,
} from './descriptor-script.ts';
import { psbtAccount } from './psbt-account.ts';

const BRANCH_PROBLEM =
  'must end in /0/* or <0;1>/*: addresses for payments are in branch 0, those for change in branch 1';

/** Reads an account of another wallet, with its branches for payments and for change. */
export function watchAccountReader(liveNetwork: Network): ReadWatchAccount {
  return ({ coin, mode }, text, path) => {
    if (!isUtxoCoin(coin)) return { problem: `cannot be watched for ${coin}` };
    return readWatchAccount(UTXO_COINS[coin], addressNetwork(mode, liveNetwork), text.trim(), path);
  };
}

/** @param path the branch below a bare extended key, such as `0/*` */
export function readWatchAccount(
  coin: UtxoCoin,
  network: Network,
  text: string,
  path?: string,
): WatchAccountKeys | Problem {
  const steps = readPath(path ?? '0/*');
  if (steps === null) return { problem: BRANCH_PROBLEM };
  const read = readScript(coin, network, text, steps);
  if ('problem' in read) return read;
  const script = withChange(read);
  if (script === null) return { problem: BRANCH_PROBLEM };
  const branches = [openBranch(coin, network, script, 0), openBranch(coin, network, script, 1)] as const;
  try {
    for (const branch of branches) addressAt(branch, 0);
  } catch {
    return { problem: 'has no addresses on this network' };
  }
  return {
    descriptor: formatScript(script, { branch: null, withOrigin: true }),
    receiveDescriptor: formatScript(script, { branch: 0, withOrigin: false }),
    address: (branch, index) => addressAt(branches[branch], index),
    psbts: psbtAccount({ script, branches }),
  };
}

function readPath(path: string): KeyExpression['steps'] | null {
  const [, steps] = /^(?:m\/)?((?:\d{1,10}\/)*(?:\d{1,10}|<\d{1,10};\d{1,10}>)\/)\*$/.exec(path.trim()) ?? [];
  if (steps === undefined) return null;
  const read = steps
    .split('/')
    .slice(0, -1)
    .map((step) => step.replaceAll(/[<>]/g, '').split(';').map(Number));
  return read.flat().every((step) => step < 2 ** 31) ? read : null;
}

/** Gives each key both branches; null where one has none for change. */
function withChange(script: Script): Script | null {
  if (!('keys' in script)) {
    const key = keyWithChange(script.key);
    return key === null ? null : { ...script, key };
  }
  const keys: KeyExpression[] = [];
  for (const one of script.keys) {
    const key = keyWithChange(one);
    if (key === null) return null;
    keys.push(key);
  }
  return { ...script, keys };
}

function keyWithChange(key: KeyExpression): KeyExpression | null {
  const alternatives = key.steps.find((step) => step.length > 1);
  if (alternatives !== undefined) {
    const [receive, change] = alternatives;
    return alternatives.length === 2 && receive !== change ? key : null;
  }
  return key.steps.at(-1)?.[0] === 0 ? { ...key, steps: [...key.steps.slice(0, -1), [0, 1]] } : null;
}
