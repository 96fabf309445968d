import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRpcTransport } from '../../../src/chains/shared/rpc-transport.ts';
import { createRpc, type Rpc } from '../../../src/chains/utxo/rpc/rpc.ts';
import { scanUnspent } from '../../../src/chains/utxo/scan-unspent.ts';
import { requireNode, startBitcoind, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { silent } from '../../_helpers/wallet-world.ts';

describe.skipIf(!requireNode('BTC'))('scanUnspent for more scripts than a node accepts at once', () => {
  let node: RegtestNode;
  let rpc: Rpc;
  beforeAll(async () => {
    node = await startBitcoind();
    const transport = { url: node.rpcUrl, timeoutMs: 120_000, maxResponseBytes: 96 * 1024 * 1024 };
    rpc = createRpc(createRpcTransport({ ...transport, cookieFile: undefined, logger: silent }));
  });
  afterAll(async () => {
    await rpc.close();
    await node.stop();
  });

  it('runs several scans at one block height, which find the outputs of all scripts', async () => {
    const addresses = [await node.newAddress(), await node.newAddress()];
    for (const address of addresses) await node.pay({ address, amountAtoms: 100_000n });
    await node.mine(1);
    const own = await Promise.all(
      addresses.map(async (address) => {
        const info = await node.rpc<{ scriptPubKey: string }>('validateaddress', [address]);
        return info.scriptPubKey;
      }),
    );
    const strangers = Array.from({ length: 660_000 }, (_, at) => {
      const hash = createHash('ripemd160').update(String(at)).digest('hex');
      return `0014${hash}`;
    });
    const watchKeys = [own[0] ?? '', ...strangers, own[1] ?? ''];
    const tip = await node.tip();
    const within = { from: tip.height, to: tip.height };
    const scan = await scanUnspent(rpc, { watchKeys, known: [], within });
    expect(scan).toMatchObject({ isComplete: true, tip });
    for (const [at, output] of [scan.outputs[0], scan.outputs[1]].entries()) {
      expect(output).toMatchObject({ height: tip.height, block: { hash: tip.hash, maturity: 1 } });
      expect(output?.watchKey).toBe(own[at]);
    }
    expect(scan.outputs.map(({ amount }) => amount)).toEqual([100_000n, 100_000n]);
  });
});
