/** Pays and mines until it is killed, telling its parent of every payment the network acknowledged. */
import { createSimulator } from '../../../src/chains/simulator/simulator.ts';
import { openDatabase } from '../../../src/store/open.ts';
import { createSimulatorStore } from '../../../src/store/simulator.ts';

const [path = '', address = ''] = process.argv.slice(2);
const { db } = await openDatabase(path);
const none = new Set<string>();
const simulator = createSimulator({
  coin: 'BTC',
  store: createSimulatorStore(db),
  index: { watched: async () => none, ownOutputs: async () => none },
  clock: { now: () => Date.now() },
  logger: { debug() {}, info() {}, warn() {}, error() {} },
  blockIntervalMs: 3_600_000,
});
for (;;) {
  const txid = await simulator.control.pay([{ address, amount: 1_000n }]);
  process.send?.(txid);
  await simulator.tick();
}
