import type { InjectedFault } from './faults.ts';
import type { SvmNode } from './node.ts';

/**
 * Takes slots out of a node's history, as after an abrupt reboot and a restart from a newer snapshot: its ledger still
 * begins long ago and balances are right, but blocks, statuses and transactions of these slots are missing.
 */
export function makeHole(node: SvmNode, first: number, last: number): { clear(): void } {
  const inside = (slot: number): boolean => slot >= first && slot <= last;
  const rewrite = (method: string, of: (result: unknown) => unknown): InjectedFault =>
    node.inject({ kind: 'rewrite', rewrite: of }, { methods: [method] });
  const faults = [
    rewrite('getSignatureStatuses', (result) => {
      const told = result as { readonly value: ({ readonly slot: number } | null)[] };
      return { ...told, value: told.value.map((each) => (each !== null && inside(each.slot) ? null : each)) };
    }),
    rewrite('getTransaction', (result) => {
      const told = result as { readonly slot: number } | null;
      return told !== null && inside(told.slot) ? null : told;
    }),
    rewrite('getSignaturesForAddress', (result) =>
      (result as { readonly slot: number }[]).filter(({ slot }) => !inside(slot)),
    ),
    rewrite('getBlocks', (result) => (result as number[]).filter((slot) => !inside(slot))),
    node.inject(
      {
        kind: 'error',
        code: -32_007,
        message: 'Slot was skipped, or missing due to ledger jump to recent snapshot',
      },
      { methods: ['getBlock'], about: ([slot]) => inside(Number(slot)) },
    ),
  ];
  return { clear: () => faults.forEach((fault) => fault.clear()) };
}
