import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const child = startNode(bench, [fileURLToPath(new URL('bare-server.ts', import.meta.url))], {
    BARE_DATABASE: join(dir, 'bare.sqlite'),
    BARE_STORED_TEXT: files.stored,
    BARE_ANSWER_JSON: files.answer,
  });
  const { port } = (await nextMessage(child)) as { port: number };
  return { ...child, url: `http://127.0.0.1:${port}` };
}
