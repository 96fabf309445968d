import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import {
  chainFamilies,
  rateFamily,
  rateSourceFamily,
  rateProblemFamily,
  reconcileFamilies,
  uncreditedFamilies,
} from './chain-families.ts';
import type { StateMetricsDeps } from './metric-family.ts';
import {
  databaseFamilies,
  fileFamilies,
  freezeFamily,
  processFamilies,
  sendFamilies,
} from './ledger-families.ts';

/** Omitted: sums of the library's gauges under names with `_total`, which Prometheus reserves for counters. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
] as const;

/**
 * The daemon's state as gauges, read on scrape, and the process's own metrics. Labels come
 * from fixed sets (coins, modes, statuses), so their number is bounded.
 */
export function registerStateMetrics(registry: Registry, deps: StateMetricsDeps): void {
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  for (const { name, help, labels, read } of [
    ...chainFamilies(deps),
    ...uncreditedFamilies(deps),
    ...databaseFamilies(deps),
    ...sendFamilies(deps),
    freezeFamily(deps),
    ...fileFamilies(deps),
    ...processFamilies(deps),
    ...reconcileFamilies(deps),
    rateFamily(deps),
    rateSourceFamily(deps),
    rateProblemFamily(deps),
  ]) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [],
      async collect() {
        const samples = await read();
        this.reset();
        // Without labels a reset makes it 0: an alert would read a certificate that ended in 1970.
        if (labels.length === 0) this.remove();
        for (const [sampleLabels, value] of samples) this.set(sampleLabels, value);
      },
    });
    registry.registerMetric(gauge);
  }
  const info = { name: 'tilld_build_info', help: 'Version of the program', labelNames: ['version'] };
  new Gauge({ ...info, registers: [registry] }).set({ version: deps.version }, 1);
}
