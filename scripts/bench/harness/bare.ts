import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nextMessage, startNode, type Child } from './child.ts';
import type { Bench } from './question.ts';

/** The bare express + better-sqlite3 server, the baseline of requests (bare-server.ts). */
export interface BareServer extends Child {
  readonly url: string;
}

/**
 * @param sizes the size of the row that one insert stores, and of the JSON response of inserts and reads: the same
 * as the daemon's
 */
export async function startBareServer(
  bench: Bench,
  sizes: { readonly storedBytes: number; readonly answer: object },
): Promise<BareServer> {
  const dir = bench.newDir();
  const files = { stored: join(dir, 'stored.txt'), answer: join(dir, 'answer.json') };
  writeFileSync(files.stored, 'x'.repeat(sizes.storedBytes));
  writeFileSync(files.answer, JSON.stringify(sizes.answer));
  const child = startNode(bench, [plainProgram()], {
    BARE_DATABASE: join(dir, 'bare.sqlite'),
    BARE_STORED_TEXT: files.stored,
    BARE_ANSWER_JSON: files.answer,
  });
  const { port } = (await nextMessage(child)) as { port: number };
  return { ...child, url: `http://127.0.0.1:${port}` };
}

/**
 * The program as JavaScript, because the daemon is JavaScript, too: Node's type stripping would add 16 MB to the
 * memory of the process. In a folder from which the libraries can be resolved.
 */
function plainProgram(): string {
  const source = readFileSync(fileURLToPath(new URL('bare-server.ts', import.meta.url)), 'utf8');
  const file = resolve('bench-results', 'bare-server.mjs');
  mkdirSync('bench-results', { recursive: true });
  writeFileSync(file, stripTypeScriptTypes(source));
  return file;
}
