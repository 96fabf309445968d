/** Movements: every change of a wallet's balance with its fiat value, as books, exports and month-ends need it. */
export { exportMovements, type MovementView } from './export-movements.ts';
export { fiatAmount, fiatMinor } from './fiat-amount.ts';
export {
  monthReport,
  MONTH_KINDS,
  type CoinBalance,
  type MonthReport,
  type MonthTotal,
} from './month-report.ts';
export { groupByTransaction, recordMovements } from './record-movements.ts';
