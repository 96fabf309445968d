/** Vitest globalSetup: one bitcoind and one litecoind for the whole run, where installed. */
import type { TestProject } from 'vitest/node';
import { NODE_COINS, type NodeCoin } from './coins.ts';
import { requireNode } from './find-daemon.ts';
import type { NodeAddress } from './node-handle.ts';
import { type RegtestNode, startNode } from './regtest-node.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started: RegtestNode[] = [];
  const stopAll = async (): Promise<void> => {
    await Promise.all(started.map(async (node) => node.stop()));
  };
  const addresses: Partial<Record<NodeCoin, NodeAddress>> = {};
  try {
    for (const coin of NODE_COINS.filter(requireNode)) {
      const node = await startNode(coin);
      started.push(node);
      const { rpcUrl, dataDir, pid, mweb } = node;
      addresses[coin] = { coin, rpcUrl, dataDir, pid, mweb };
    }
  } catch (error) {
    await stopAll();
    throw error;
  }
  project.provide('regtestNodes', addresses);
  return stopAll;
}
