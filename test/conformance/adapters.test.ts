import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { addressCases } from './cases/addresses.ts';
import { blockCases } from './cases/blocks.ts';
import { detectionCases } from './cases/detection.ts';
import { independentClientCases } from './cases/independent-client.ts';
import { faultCases, wireCases } from './cases/faults.ts';
import { reorgCases } from './cases/reorgs.ts';
import { sendCases } from './cases/sends.ts';
import type { ChainHarness, ChainWorld } from './harness.ts';

const FOLDER = join(import.meta.dirname, 'harnesses');

/** Every file in harnesses/ is one family: adding one is all it takes to be tested here. */
async function loadHarnesses(): Promise<ChainHarness[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.ts'));
  const families = await Promise.all(
    files.map(async (file) => (await import(join(FOLDER, file))) as { harnesses: readonly ChainHarness[] }),
  );
  return families.flatMap((family) => family.harnesses);
}

for (const harness of await loadHarnesses()) {
  describe.skipIf(!harness.available)(`${harness.name} adapter`, () => {
    let running: ChainWorld | undefined;
    const world = (): ChainWorld => {
      if (running === undefined) throw new Error('the network is not up');
      return running;
    };

    beforeAll(async () => {
      running = await harness.start();
    });
    afterAll(async () => {
      await running?.stop();
    });

    describe('addresses', () => addressCases(harness.coin, world));
    describe('blocks', () => blockCases(harness.coin, world));
    describe('payment detection', () => detectionCases(world));
    describe('reorgs', () => reorgCases(world));
    describe('sends', () => sendCases(world, harness.expiring === true));
    describe('node faults', () => faultCases(world));
    if (harness.hasIndependentClient === true) {
      describe('compared with an independent client', () => independentClientCases(world));
    }
    if (harness.wired) describe('node connection', () => wireCases(world));
  });
}
