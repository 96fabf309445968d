import type { CustomOrderProcess, Injector } from '@vendure/core';
import { TilldCancelGuard } from './cancel-guard';

let guard: TilldCancelGuard;

/** Asks tilld before an order becomes cancelled, by whoever: no paid order is given up. Nor does one change that has money. */
export const tilldOrderProcess: CustomOrderProcess<never> = {
  init(injector: Injector) {
    guard = injector.get(TilldCancelGuard);
  },
  async onTransitionStart(_from, to, { ctx, order }) {
    if (to === 'AddingItems') return (await guard.changeRefusalFor(ctx, order)) ?? undefined;
    if (to !== 'Cancelled') return undefined;
    return (await guard.refusalFor(ctx, order)) ?? undefined;
  },
};
