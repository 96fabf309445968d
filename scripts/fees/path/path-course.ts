import type { PathCoin } from './path-chain.ts';

/** Rates and amounts of a chain: the budgets bind within the path. */
export interface Course {
  readonly rates: readonly bigint[];
  readonly unit: string;
  readonly wallet: readonly string[];
  readonly small: string;
  readonly large: string;
  readonly maxFee: string;
  readonly keep: string;
  readonly threshold: string;
  readonly forwarded: string;
}

export const COURSES: Readonly<Record<PathCoin, Course>> = {
  BTC: {
    rates: [1n, 100n, 300n, 1_000n, 300n, 100n, 1n],
    unit: 'sat/vB',
    wallet: Array.from({ length: 16 }, () => '0.02'),
    small: '0.005',
    large: '0.01',
    maxFee: '0.0003',
    keep: '0.01',
    threshold: '0.02',
    forwarded: '0.03',
  },
  ETH: {
    rates: [1n, 10n, 30n, 100n, 30n, 10n, 1n],
    unit: 'gwei',
    wallet: ['2'],
    small: '0.01',
    large: '0.02',
    maxFee: '0.0006',
    keep: '0.1',
    threshold: '0.05',
    forwarded: '0.06',
  },
};
