import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../nodes/proc.ts';
import { eventually } from '../poll.ts';
import { SvmNode } from './node.ts';

/** A running Solana RPC, whatever is behind it. */
export interface RpcTarget {
  readonly url: string;
  /** Where subscriptions are served. */
  readonly wsUrl: string;
  stop(): Promise<void>;
}

export interface RpcTargetKind {
  readonly name: string;
  start(): Promise<RpcTarget>;
}

const VALIDATOR = 'solana-test-validator';

/** What must behave the same: our test node, and Agave's validator where it is installed. */
export const RPC_TARGETS: readonly RpcTargetKind[] = [
  { name: 'the test node', start: startTestNode },
  // No package contains a validator, so it is used only where one is installed.
  ...(spawnSync(VALIDATOR, ['--version']).status === 0 ? [{ name: VALIDATOR, start: startValidator }] : []),
];

async function startTestNode(): Promise<RpcTarget> {
  const node = await SvmNode.start();
  node.tick(20);
  return { url: node.url, wsUrl: node.wsUrl, stop: async () => node.stop() };
}

async function startValidator(): Promise<RpcTarget> {
  const ledger = mkdtempSync(join(tmpdir(), 'validator-'));
  const [rpcPort, faucetPort, gossipPort] = [await freePort(), await freePort(), await freePort()];
  const ports = [
    '--rpc-port',
    `${rpcPort}`,
    '--faucet-port',
    `${faucetPort}`,
    '--gossip-port',
    `${gossipPort}`,
  ];
  const child = spawn(VALIDATOR, ['--quiet', '--reset', '--ledger', ledger, ...ports], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${rpcPort}`;
  await eventually(
    'the validator answers',
    () => health(url),
    (healthy) => healthy,
    60_000,
  );
  return {
    url,
    wsUrl: `ws://127.0.0.1:${rpcPort + 1}`,
    stop: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      rmSync(ledger, { recursive: true, force: true });
    },
  };
}

async function health(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' });
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body }).then(
    (response) => response.ok,
    () => false,
  );
}
