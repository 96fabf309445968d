import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/ports.ts';
import { findCounter } from '../../store/merchants/counters.ts';
import type { CounterRow } from '../../store/schema/counters.ts';
import type { Db } from '../../store/sqlite/database.ts';

export interface CounterDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** @throws {AppError} COUNTER_NOT_FOUND, also for a deleted counter and one of another merchant */
export async function findOwnCounter(db: Db, merchantId: string, id: string): Promise<CounterRow> {
  const counter = await findCounter(db, id);
  if (counter?.merchantId !== merchantId) throw new AppError('COUNTER_NOT_FOUND', 'No such counter');
  return counter;
}
