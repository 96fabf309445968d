import { describe, expect, it } from 'vitest';
import { TableWrites, tablesWrittenBy } from '../../src/store/table-writes.ts';

describe('the tables that a statement writes to', () => {
  it.each([
    ['insert into "addresses" ("coin") values (?)', ['addresses']],
    ['INSERT INTO outputs (coin) VALUES (?) ON CONFLICT DO NOTHING', ['outputs']],
    ['  update "outputs" set "spent_by" = ?', ['outputs']],
    [
      'delete from unconfirmed_inputs where not exists (select 1 from "outputs")',
      ['outputs', 'unconfirmed_inputs'],
    ],
    ['with kept as (select 1) insert into "addresses" select * from kept', ['addresses']],
    ['replace into addresses values (?)', ['addresses']],
  ])('are found in %s', (statement, tables) => {
    expect(tablesWrittenBy(statement)).toEqual(tables);
  });

  it.each([
    'select * from "addresses" inner join "outputs" on 1',
    '\n  SELECT 1 FROM unconfirmed_inputs',
    'update "address_counters" set "next_index" = 1',
    'insert into "payment_options" ("address_id", "address") values (?, ?)',
    'begin immediate',
    'commit',
  ])('are none of these in %s', (statement) => {
    expect(tablesWrittenBy(statement)).toEqual([]);
  });
});

describe('the count of writes', () => {
  it('leaves out only what is told, and only while that is written', () => {
    const writes = new TableWrites();
    writes.note(['addresses']);
    const answer = writes.uncounted('outputs', () => {
      writes.note(['outputs', 'unconfirmed_inputs']);
      return 7;
    });
    expect(answer).toBe(7);
    expect(writes.counts()).toEqual({ addresses: 1, outputs: 0, unconfirmed_inputs: 1 });
    const failing = (): void =>
      writes.uncounted('outputs', () => {
        throw new Error('full');
      });
    expect(failing).toThrow('full');
    writes.note(['outputs']);
    expect(writes.counts().outputs).toBe(1);
  });
});
