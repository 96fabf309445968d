/**
 * Preloaded into a daemon (`--import`): it kills itself (SIGKILL) before a write to the database. The file that
 * KILL_AT_WRITE names contains which one, counted from the first write to a table that KILL_AT_TABLES names (a regular
 * expression of the beginnings of names); without the file it lives.
 */
import { existsSync, readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';

const TABLES = process.env['KILL_AT_TABLES'] ?? '';
const ABOUT = new RegExp(`^\\s*(?:insert|update|delete)[^]*\\b(?:${TABLES})`, 'i');

const file = process.env['KILL_AT_WRITE'] ?? '';
/** Writes until the kill; null: none to these tables was seen. */
let left: number | null = null;

function countWrite(text: string): void {
  if (left === null && !ABOUT.test(text)) return;
  if (!existsSync(file)) {
    left = null;
    return;
  }
  left ??= Number(readFileSync(file, 'utf8'));
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  left -= 1;
}

type Prepare = (text: string) => Sqlite.Statement;

const prepare = Reflect.get(Sqlite.prototype, 'prepare') as Prepare;
Reflect.set(Sqlite.prototype, 'prepare', function prepareCounted(this: Sqlite.Database, text: string) {
  const statement = prepare.call(this, text);
  const run = statement.run.bind(statement);
  return Object.assign(statement, {
    run: (...values: unknown[]) => {
      countWrite(text);
      return run(...values);
    },
  });
});
