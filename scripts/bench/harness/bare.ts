import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nextMessage, startNode, type Child } from './child.ts';
import type { Bench } from './question.ts';

/** The bare express + better-sqlite3 server that requests are compared with (bare-server.ts). */
export interface BareServer extends Child {
  readonly url: string;
}

/**
 * @param sizes what one insert stores, and the JSON that it and every read answer: the same sizes as
 *   the daemon's
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
 * The program as JavaScript, as the daemon is JavaScript, too: what Node strips types with stays in the memory of a
 * process, 16 MB that an empty express + better-sqlite3 process would not have. In a folder that finds the libraries.
 */
function plainProgram(): string {
  const source = readFileSync(fileURLToPath(new URL('bare-server.ts', import.meta.url)), 'utf8');
  const file = resolve('bench-results', 'bare-server.mjs');
  mkdirSync('bench-results', { recursive: true });
  writeFileSync(file, stripTypeScriptTypes(source));
  return file;
}
