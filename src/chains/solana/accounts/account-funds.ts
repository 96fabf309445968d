import type { Fund } from '../../../domain/chain.ts';

/** All funds of one address: a send spends from an account as a whole. */
export interface Account {
  readonly address: string;
  readonly funds: readonly Fund[];
  readonly amount: bigint;
}

/** Funds by the account that holds them, in the order in which the accounts first appear. */
export function groupByAccount(funds: readonly Fund[]): Account[] {
  return [...Map.groupBy(funds, ({ address }) => address)].map(([address, own]) => ({
    address,
    funds: own,
    amount: sum(own.map(({ amount }) => amount)),
  }));
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
