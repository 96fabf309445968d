import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planSend } from '../../../src/chains/utxo/sends/plan-send.ts';
import { inputVsize } from '../../../src/chains/utxo/sends/size.ts';
import { OUTPUTS_PER_SEND } from '../../../src/domain/accounts.ts';
import type { ChainAdapter, OutputFunds, SendRequest } from '../../../src/domain/chain.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { estimateFee } from '../../../src/usecases/wallet/send/estimate-fee.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;
const scan: OutputFunds['scanUnspent'] = async () => ({
  tip: { height: 0, hash: '' },
  outputs: [],
  isComplete: true,
});

/** The simulated network with the coin selection and the sizes of the real one. */
function withRealSizes(): typeof sim.world.deps {
  const coin = UTXO_COINS.BTC;
  const inputCost = (rate: bigint): bigint => (inputVsize(coin.scriptType) * rate + 999n) / 1_000n;
  const adapter: ChainAdapter = {
    ...sim.world.adapter('BTC'),
    funds: { ...outputFunds(scan, inputCost), mostInputs: OUTPUTS_PER_SEND },
    planSend: (request: SendRequest) => planSend(coin, 'testnet', request),
  };
  return { ...sim.world.deps, chains: { ...sim.world.deps.chains, get: () => adapter } };
}

const atoms = (text: string): bigint => parseCoinAmount(text, 'BTC');
afterEach(async () => sim.close());

describe('a send of more than the balance, whose outputs do not fit into one transaction,', () => {
  beforeEach(async () => {
    sim = await openSimulatedWorld({}, { mostInputs: 20 });
    await sim.fund('BTC', ...Array.from({ length: 60 }, () => 1_000_000n));
  });

  it.each(['0.6', '0.7'])(
    'is refused for %s with the balance of the wallet and the missing amount',
    async (amount) => {
      const { deps } = sim.world;
      expect(await estimateFee(deps, sim.order('BTC', '0.59'))).toMatchObject({ amount: '0.59' });
      const error = await estimateFee(deps, sim.order('BTC', amount)).catch((each: unknown) => each);
      expect(error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
      const [, available = '', needed = '', missing = ''] =
        /([\d.]+) BTC is available and ([\d.]+) BTC is needed.*: ([\d.]+) BTC is missing/.exec(
          String(error),
        ) ?? [];
      expect(available).toBe('0.6');
      expect(atoms(needed)).toBeGreaterThan(atoms(amount));
      expect(atoms(missing)).toBe(atoms(needed) - atoms(available));
    },
  );
});

describe('a send together with a large unconfirmed send of the same wallet', () => {
  it('waits for a block when both together exceed the package limits of nodes, and then pays everything', async () => {
    sim = await openSimulatedWorld();
    await sim.fund('BTC', ...Array.from({ length: 1_500 }, () => 100_000n));
    const deps = withRealSizes();
    const quote = await sim.world.adapter('BTC').feeQuote();
    sim.line.quote = { ...quote, rate: 1_000n };
    const first = await sendCoins(deps, sim.order('BTC', '0.7195'));
    const estimate = await estimateFee(deps, sim.order('BTC', 'max'));
    const ordered = await sendCoins(deps, sim.order('BTC', 'max'));
    expect(ordered).toMatchObject({ status: 'preparing', txHash: null, parts: null, fee: estimate.fee });
    const step = async (): Promise<string> => {
      sim.world.clock.advance(deps.policy.retryMaxMs);
      await prepareSends(deps, sim.world.chain('BTC'));
      return (await sim.status(ordered.id)).status;
    };
    expect(await step()).toBe('preparing');
    await sim.mine('BTC');
    expect(await step()).toBe('broadcast');
    await sim.mine('BTC');
    const done = await sim.status(ordered.id);
    const paid = atoms(first.amount) + atoms(first.fee);
    expect(done.status).toBe('confirmed');
    expect(atoms(done.amount) + atoms(done.fee)).toBe(150_000_000n - paid);
    expect(await sim.world.balance('BTC')).toBe('0');
  });
});
