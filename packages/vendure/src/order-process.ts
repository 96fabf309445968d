import type { CustomOrderProcess, Injector } from '@vendure/core';
import { TilldCancelGuard } from './cancel-guard';

let guard: TilldCancelGuard;

/** Reads the payments from tilld before an order is cancelled or changed: an order with money can be neither. */
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
