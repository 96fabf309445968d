/** Movements: every change of a wallet's balance with its fiat value, as books and exports need it. */
export { exportMovements, type MovementView } from './export-movements.ts';
export { fiatAmount } from './fiat-amount.ts';
export { groupByTransaction, recordMovements } from './record-movements.ts';
