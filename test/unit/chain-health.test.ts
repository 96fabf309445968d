import { describe, expect, it } from 'vitest';
import { ChainError, type NodeStatus } from '../../src/domain/chain.ts';
import type { Logger } from '../../src/domain/ports.ts';
import { HealthRecord } from '../../src/watcher/chain-health.ts';

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

describe('a node that is not in step with its network', () => {
  it('is told of once, however many blocks come before it is, and again the next time', () => {
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
      health.behindNetwork(syncing);
      expect(health.read(null).state).toBe('behind');
    }
    expect(warnings).toHaveLength(1);
    health.following();
    health.behindNetwork(syncing);
    expect(warnings).toHaveLength(2);
  });
});

/** The fields of the one line that the log gets. */
function toldOf(error: Error): object | undefined {
  const lines: object[] = [];
  const logger: Logger = { debug: quiet, info: quiet, warn: quiet, error: (fields) => lines.push(fields) };
  new HealthRecord(logger, { coin: 'LTC', mode: 'live' }).failed(error);
  return lines[0];
}

describe('a node that cannot be followed', () => {
  it('is told of in one line with the setting to look at, when it is out of reach', () => {
    expect(toldOf(new ChainError('unavailable', 'getblockhash: no answer from 127.0.0.1:9332'))).toEqual({
      coin: 'LTC',
      mode: 'live',
      kind: 'unavailable',
      error: 'getblockhash: no answer from 127.0.0.1:9332',
      setting: 'TILLD_LTC_RPC_URL',
    });
  });

  it('is told of with a trace when nobody foresaw it', () => {
    const error = new Error('what is this');
    expect(toldOf(error)).toEqual({ coin: 'LTC', mode: 'live', kind: 'internal', err: error });
  });
});
