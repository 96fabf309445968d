import { describe, expect, it } from 'vitest';
import { ChainError, type NodeStatus } from '../../src/domain/chain.ts';
import type { Logger } from '../../src/domain/ports.ts';
import { HealthRecord } from '../../src/workers/chain-watcher/chain-health.ts';

function quiet(): void {}

const blockAt = (height: number) => ({ height, hash: height.toString(16).padStart(64, '0') });

const syncing: NodeStatus = {
  tip: blockAt(1),
  headersHeight: 100,
  syncing: true,
  pruneHeight: 0,
  peers: 8,
  version: 'test',
  warnings: null,
};

describe('HealthRecord for a node that has fewer blocks than its network', () => {
  it('warns once per outage, however many blocks arrive during it', () => {
    const warnings: string[] = [];
    const logger: Logger = {
      debug: quiet,
      info: quiet,
      warn: (_fields, message) => void warnings.push(message),
      error: quiet,
    };
    const health = new HealthRecord(logger, { coin: 'BTC', mode: 'live' });
    for (let height = 1; height <= 20; height += 1) {
      health.recorded(blockAt(height));
      health.behindNetwork(syncing, null);
      expect(health.read(null).state).toBe('behind');
    }
    expect(warnings).toHaveLength(1);
    health.following();
    health.behindNetwork(syncing, null);
    expect(warnings).toHaveLength(2);
  });
});

describe('HealthRecord for a node that limits the rate of requests', () => {
  it('reports the number of watched order addresses and the settings that reduce requests', () => {
    const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const metrics = { reorganised: quiet, accountsWatched: () => 412 };
    const health = new HealthRecord(logger, { coin: 'ETH', mode: 'live' }, metrics);
    health.failed(new ChainError('unavailable', 'eth_getBalance: the node limits our rate (429)'));
    expect(health.read(null).lastError).toBe(
      'eth_getBalance: the node limits our rate (429): 412 addresses of orders are looked at each time; use a node of your own or a larger plan, or raise TILLD_POLL_INTERVAL',
    );
    health.failed(new ChainError('unavailable', 'getblockhash: no answer from 127.0.0.1:9332'));
    expect(health.read(null).lastError).toBe('getblockhash: no answer from 127.0.0.1:9332');
  });
});

describe('HealthRecord on a reorg', () => {
  it('counts the recorded blocks that left the best chain', () => {
    const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const depths: number[] = [];
    const metrics = {
      reorganised: (_chain: unknown, depth: number) => void depths.push(depth),
      accountsWatched: () => null,
    };
    const health = new HealthRecord(logger, { coin: 'BTC', mode: 'live' }, metrics);
    health.startedFrom(blockAt(100));
    health.rewound(blockAt(97));
    health.recorded(blockAt(98));
    health.rewound(blockAt(97));
    expect(depths).toEqual([3, 1]);
  });
});

/** The fields of the one line that the log gets. */
function toldOf(error: Error): object | undefined {
  const lines: object[] = [];
  const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: (fields) => lines.push(fields) };
  new HealthRecord(logger, { coin: 'LTC', mode: 'live' }).failed(error);
  return lines[0];
}

describe('HealthRecord when requests to the node fail', () => {
  it('logs one line that names the setting to check when the node is unreachable', () => {
    expect(toldOf(new ChainError('unavailable', 'getblockhash: no answer from 127.0.0.1:9332'))).toEqual({
      coin: 'LTC',
      mode: 'live',
      kind: 'unavailable',
      error: 'getblockhash: no answer from 127.0.0.1:9332',
      setting: 'TILLD_LTC_RPC_URL',
    });
  });

  it('logs a stack trace when the error is unexpected', () => {
    const error = new Error('what is this');
    expect(toldOf(error)).toEqual({ coin: 'LTC', mode: 'live', kind: 'internal', err: error });
  });
});
