import { describe, expect, it } from 'vitest';
import { plannedOnce } from '../../../src/store/statements.ts';

describe('a statement planned once', () => {
  it('hides its parameters from the planner, and leaves text and names alone', () => {
    expect(plannedOnce(`select "a?" from t where b = ? and c in (?, ?) and d = 'why?' limit ?`)).toBe(
      `select "a?" from t where b = +? and c in (+?, +?) and d = 'why?' limit +?`,
    );
  });

  it('lets the planner see the patterns of LIKE and GLOB', () => {
    for (const text of ['select a from t where a like ?', 'select a from t where a GLOB ? and b = ?']) {
      expect(plannedOnce(text)).toBe(text);
    }
  });
});
