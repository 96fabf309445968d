import { outputKey, type ChainAdapter } from '../../src/domain/chain.ts';
import { outputFunds } from './output-funds.ts';

async function scanNothing() {
  return { tip: { height: 0, hash: '' }, outputs: [], isComplete: true };
}

/** A network that relays transactions of so many inputs at most, so that a test needs few outputs for several. */
export function withMostInputs(adapter: ChainAdapter, mostInputs: number): ChainAdapter {
  const funds = adapter.funds?.model === 'outputs' ? adapter.funds : outputFunds(scanNothing);
  return {
    ...adapter,
    funds: { ...funds, mostInputs },
    planSend: (request) => {
      const largest = request.funds.toSorted(
        (a, b) => Number(b.amount - a.amount) || (outputKey(a.ref) < outputKey(b.ref) ? -1 : 1),
      );
      return adapter.planSend({ ...request, funds: largest.slice(0, mostInputs) });
    },
  };
}
