import { UTXO_COINS, isUtxoCoin, type Network } from '../domain/coins.ts';
import type { UtxoCoin } from '../domain/coins/definition.ts';
import { addressNetwork, type ReadReceiveBranch, type ReceiveBranch } from '../domain/keys.ts';
import { addressAt, formatScript, openBranch, type Problem, readScript } from './descriptor-script.ts';

/**
 * Reads where another wallet receives: an account's extended public key, whose prefix tells the script, or an
 * output descriptor with its checksum.
 */
export function receiveBranchReader(liveNetwork: Network): ReadReceiveBranch {
  return ({ coin, mode }, text) => {
    if (!isUtxoCoin(coin)) return { problem: `is of no use for ${coin}: enter an address` };
    return readReceiveBranch(UTXO_COINS[coin], addressNetwork(mode, liveNetwork), text.trim());
  };
}

export function readReceiveBranch(coin: UtxoCoin, network: Network, text: string): ReceiveBranch | Problem {
  const script = readScript(coin, network, text);
  if ('problem' in script) return script;
  const branch = openBranch(coin, network, script, 0);
  const address = (index: number): string => addressAt(branch, index);
  try {
    address(0);
  } catch {
    return { problem: 'has no addresses on this network' };
  }
  return { descriptor: formatScript(script, { branch: 0, withOrigin: false }), address };
}
