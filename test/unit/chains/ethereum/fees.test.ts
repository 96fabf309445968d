import { describe, expect, it } from 'vitest';
import { quoteFee } from '../../../../src/chains/ethereum/sends/eip1559-fees.ts';
import type { NodeClient } from '../../../../src/chains/ethereum/rpc/node-client.ts';
import { FeeSourceHealth } from '../../../../src/chains/shared/fee-source-health.ts';
import { RpcRefusal } from '../../../../src/chains/shared/json-rpc.ts';
import { ChainError, UnsendableAmount } from '../../../../src/domain/chain.ts';

const hash = `0x${'5'.repeat(64)}`;
const intent = { from: `0x${'a'.repeat(40)}`, destination: `0x${'b'.repeat(40)}`, amount: 7n };

async function quoteAt(code: number, reason: string): Promise<unknown> {
  return quoteThat(async () => {
    throw new RpcRefusal('eth_estimateGas', code, reason);
  });
}

async function quoteThat(estimateGas: NodeClient['estimateGas']): Promise<unknown> {
  const client: Partial<NodeClient> = {
    gasPrices: async () => ({
      chainId: 31_337,
      tip: { number: 5, hash, parentHash: hash, timestamp: 1, baseFee: 1n },
      maxPriorityFeePerGas: 1n,
      gasPrice: 2n,
      nonce: 0,
      problems: new Map(),
    }),
    estimateGas,
  };
  const sources = new FeeSourceHealth('ETH', { info() {}, warn() {} });
  const options = { capRate: 10n ** 12n, at: 0, intent, sources };
  return quoteFee(client as NodeClient, 'regtest', options).catch((error: unknown) => error);
}

describe('quoteFee when the node refuses eth_estimateGas', () => {
  it.each([
    [3, 'execution reverted'],
    [3, ''],
    [-32_000, 'execution reverted: not accepting ether'],
    [-32_000, 'gas required exceeds allowance (50000000)'],
    [-32_000, 'invalid opcode: INVALID'],
    [-32_000, 'out of gas'],
    [-32_015, 'VM execution error.'],
    [-32_003, 'EVM error: Revert'],
  ])('treats %i %s as a refusal by the contract', async (code, reason) => {
    expect(await quoteAt(code, reason)).toBeInstanceOf(UnsendableAmount);
  });

  it.each([
    [-32_603, 'Internal error'],
    [-32_000, 'missing trie node'],
    [-32_000, 'header not found'],
    [-32_601, 'the method eth_estimateGas does not exist'],
    [-32_602, 'invalid argument 0'],
    [-32_003, 'upstream unavailable'],
    [19, 'Temporary internal error. Please retry'],
  ])('treats %i %s as an error of the node', async (code, reason) => {
    const error = await quoteAt(code, reason);
    expect(error).toBeInstanceOf(ChainError);
    expect(error).toMatchObject({ kind: 'unavailable' });
  });
});

describe('quoteFee for a contract as the destination', () => {
  it('uses the estimated gas plus a margin', async () => {
    expect(await quoteThat(async () => 80_000n)).toMatchObject({ account: { gasLimit: 100_000n } });
  });

  it('refuses a contract that uses far more gas than a wallet, because the sender would pay for it', async () => {
    const error = await quoteThat(async () => 15_000_000n);
    expect(error).toBeInstanceOf(UnsendableAmount);
    expect(String(error)).toContain('15000000 gas');
  });
});
