import { describe, expect, it } from 'vitest';
import { accountReads } from '../../../src/chains/ethereum/accounts/account-reads.ts';
import type { BalanceReader } from '../../../src/chains/ethereum/accounts/balance-reads.ts';
import type { NodeClient as EthereumClient } from '../../../src/chains/ethereum/rpc/node-client.ts';
import { createRpc as createEthereumRpc } from '../../../src/chains/ethereum/rpc/rpc.ts';
import { quoteFee as quoteEthereum } from '../../../src/chains/ethereum/sends/eip1559-fees.ts';
import { FeeSourceHealth } from '../../../src/chains/shared/fee-source-health.ts';
import { createNodeClient as createSolanaClient } from '../../../src/chains/solana/rpc/node-client.ts';
import { createRpc as createSolanaRpc } from '../../../src/chains/solana/rpc/rpc.ts';
import { estimatePriorityFee } from '../../../src/chains/solana/sends/fees.ts';
import { createNodeClient as createUtxoClient } from '../../../src/chains/utxo/rpc/node-client.ts';
import { createRpc as createUtxoRpc } from '../../../src/chains/utxo/rpc/rpc.ts';
import { estimateFeeRate } from '../../../src/chains/utxo/sends/fee-rate.ts';
import type { FeeQuote, NodeStatus } from '../../../src/domain/chain.ts';
import { ChainError, nodeFault } from '../../../src/domain/chain.ts';
import { Refused, scriptedTransport } from '../../_helpers/scripted-transport.ts';

interface Quoted {
  readonly quote: FeeQuote;
  readonly lines: readonly string[];
  readonly warning: string | null;
}

async function quoted(
  coin: 'BTC' | 'ETH' | 'SOL',
  ask: (sources: FeeSourceHealth) => Promise<FeeQuote>,
): Promise<Quoted> {
  const lines: string[] = [];
  const write = (fields: object, message: string): void =>
    void lines.push(`${JSON.stringify(fields)} ${message}`);
  const sources = new FeeSourceHealth(coin, { info: write, warn: write });
  await ask(sources);
  const quote = await ask(sources);
  return { quote, lines, warning: sources.withWarning({ warnings: null } as NodeStatus).warnings };
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;
const METHOD_NOT_FOUND = new Refused(-32601, 'Method not found');

describe('quoteFee on a UTXO chain', () => {
  const limits = { floorRate: 1_000n, fallbackRate: 1_000n, capRate: 500_000n, confirmTarget: 6 };
  const usual: Readonly<Record<string, unknown>> = {
    estimatesmartfee: { feerate: 0.0002, blocks: 6 },
    getmempoolinfo: { mempoolminfee: 0.00004, minrelaytxfee: 0.00001 },
  };
  const quote = async (answers: Readonly<Record<string, unknown>>): Promise<Quoted> => {
    const rpc = createUtxoRpc(scriptedTransport((method) => ({ ...usual, ...answers })[method]));
    return quoted('BTC', async (sources) =>
      estimateFeeRate(createUtxoClient(rpc), limits, { at: 0, sources }),
    );
  };

  it.each([
    [
      'the estimator is off',
      new Refused(-32603, 'Fee estimation disabled'),
      'Fee estimation disabled (-32603)',
    ],
    ['the node has no such method', METHOD_NOT_FOUND, 'Method not found (-32601)'],
    ['the estimate is -1', { feerate: -1 }, 'feerate -1'],
    ['the estimate is 0', { feerate: 0 }, 'feerate 0'],
    ['the result is not an object', 'unknown', 'unexpected'],
  ])('uses the mempool minimum fee and warns once when %s', async (_, answer, reason) => {
    const { quote: found, lines, warning } = await quote({ estimatesmartfee: answer });
    expect(found).toMatchObject({ rate: 4_000n, source: 'mempool minimum' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(reason);
    expect(warning).toContain('estimatesmartfee');
    expect(warning).toContain(reason);
  });

  it('does not warn when the node has too little data for an estimate, as after each start', async () => {
    const { quote: found, warning } = await quote({
      estimatesmartfee: { errors: ['Insufficient data or no feerate found'], blocks: 2 },
    });
    expect(found.rate).toBe(4_000n);
    expect(warning).toBeNull();
  });

  it('uses the configured minimum when the node reports no mempool minimum either', async () => {
    const { quote: found, warning } = await quote({
      estimatesmartfee: METHOD_NOT_FOUND,
      getmempoolinfo: new Refused(-1, 'not supported'),
    });
    expect(found).toMatchObject({ rate: 1_000n, source: 'configured floor' });
    expect(warning).toContain('getmempoolinfo: not supported (-1)');
  });
});

describe('quoteFee on Ethereum', () => {
  const hash = `0x${'5'.repeat(64)}`;
  const GWEI = 1_000_000_000n;
  const block = { number: '0x5', hash, parentHash: hash, timestamp: '0x1', baseFeePerGas: hex(8n * GWEI) };
  const usual: Readonly<Record<string, unknown>> = {
    eth_chainId: '0x7a69',
    eth_getBlockByNumber: block,
    eth_maxPriorityFeePerGas: hex(2n * GWEI),
    eth_gasPrice: hex(11n * GWEI),
    eth_feeHistory: { reward: [[hex(GWEI)], [hex(4n * GWEI)], [hex(5n * GWEI)]] },
  };
  const quote = async (answers: Readonly<Record<string, unknown>>): Promise<Quoted> => {
    const rpc = createEthereumRpc(scriptedTransport((method) => ({ ...usual, ...answers })[method]));
    const balances: BalanceReader | null = null;
    const client = accountReads({ rpc, balances: balances as unknown as BalanceReader, batchSize: 10 });
    const options = { capRate: 10n ** 15n, at: 0, intent: undefined };
    return quoted('ETH', async (sources) =>
      quoteEthereum(client as unknown as EthereumClient, 'regtest', { ...options, sources }),
    );
  };
  /** The rate at a tip: a quarter above the base fee, the tip, and one wei. */
  const rateAt = (tip: bigint): bigint => (10n * GWEI + tip + 1n) * 1_000n;

  it.each([
    ['answers null', null],
    ['is not available', METHOD_NOT_FOUND],
    ['answers nonsense', '2 gwei'],
  ])('uses the priority fees of recent blocks when eth_maxPriorityFeePerGas %s', async (_, answer) => {
    const { quote: found, lines, warning } = await quote({ eth_maxPriorityFeePerGas: answer });
    expect(found.rate).toBe(rateAt(4n * GWEI));
    expect(lines).toHaveLength(1);
    expect(warning).toContain('eth_maxPriorityFeePerGas');
  });

  it.each([
    ['the gas price', {}, 3n * GWEI],
    ['one gwei', { eth_gasPrice: METHOD_NOT_FOUND }, GWEI],
  ])('uses %s when neither the node nor recent blocks give a priority fee', async (_, answers, tip) => {
    const without = { eth_maxPriorityFeePerGas: null, eth_feeHistory: METHOD_NOT_FOUND };
    const { quote: found, warning } = await quote({ ...without, ...answers });
    expect(found.rate).toBe(rateAt(tip));
    expect(warning).toContain('eth_feeHistory: Method not found (-32601)');
  });

  it('throws an error with the method and the reason when no source gives a price', async () => {
    const { baseFeePerGas: _, ...old } = block;
    const asked = quote({ eth_getBlockByNumber: old, eth_gasPrice: METHOD_NOT_FOUND });
    await expect(asked).rejects.toThrow('eth_gasPrice: eth_gasPrice: Method not found (-32601)');
  });

  it('throws an error with the method that the node refuses', async () => {
    await expect(quote({ eth_chainId: new Refused(-32603, 'db closed') })).rejects.toThrow(
      'the node refused eth_chainId: db closed (-32603)',
    );
  });
});

describe('quoteFee on Solana', () => {
  const context = { slot: 9 };
  const usual: Readonly<Record<string, unknown>> = {
    getRecentPrioritizationFees: [{ slot: 1, prioritizationFee: 40_000 }],
    getLatestBlockhash: { context, value: { blockhash: 'h', lastValidBlockHeight: 150 } },
    getBlockHeight: 7,
  };
  const quote = async (answers: Readonly<Record<string, unknown>>): Promise<Quoted> => {
    const client = createSolanaClient(
      createSolanaRpc(scriptedTransport((method) => ({ ...usual, ...answers })[method])),
    );
    return quoted('SOL', async (sources) =>
      estimatePriorityFee(client, { capRate: 5_000n, at: 0, writable: [], sources }),
    );
  };

  it('uses the prioritization fees of recent blocks', async () => {
    expect((await quote({})).quote).toMatchObject({ rate: 40n, source: 'recent priority fees' });
  });

  it.each([
    ['is not available', METHOD_NOT_FOUND],
    ['answers null', null],
    ['returns another format', [{ slot: 1 }]],
  ])('uses a default priority fee and warns when getRecentPrioritizationFees %s', async (_, answer) => {
    const { quote: found, lines, warning } = await quote({ getRecentPrioritizationFees: answer });
    expect(found).toMatchObject({ rate: 10n, source: 'default' });
    expect(lines).toHaveLength(1);
    expect(warning).toContain('getRecentPrioritizationFees');
  });
});

describe('nodeFault', () => {
  it('describes a refusal with its method and reason, and an unreachable node differently', () => {
    const cause = Object.assign(new Error('x'), { name: 'RpcRefusal' });
    const refusal = new ChainError('unavailable', 'the node refused eth_chainId: no (-1)', { cause });
    expect(nodeFault('ETH', refusal)).toBe(
      'the ETH node rejects a call: the node refused eth_chainId: no (-1)',
    );
    const away = new ChainError('unavailable', 'getblock: connection refused');
    expect(nodeFault('BTC', away)).toBe('the BTC node is not answering: getblock: connection refused');
    expect(nodeFault('BTC', new ChainError('pruned', 'gone'))).toBe('the BTC node cannot be used: gone');
  });
});
